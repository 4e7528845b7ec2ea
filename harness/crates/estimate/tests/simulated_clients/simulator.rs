//! The study's clients on CPUs of known number, whose true throughput is known.
//!
//! Each queue pair has a thread that posts and one that polls, both spinning. Threads are dealt
//! over CPUs and take turns there. A queue pair completes operations while its poster runs
//! and its completion queue has room; its poller counts them when it runs, prints at its first look 10 ms or more after it began to
//! count, and begins anew when the line is out. Time goes in steps of 0.1 ms.

use onesided_estimate::printed::PrintedRate;

/// Steps of an epoch.
const EPOCH: u64 = 100;
/// Operations that each client issues. Fewer than the study's, for speed.
pub const OPERATIONS: f64 = 100_000.0;
/// Operations that are completed before somebody polls. Ours: the study's depth is not known.
const DEPTH: f64 = 128.0;
/// Steps in a second.
const SECOND: f64 = 10_000.0;

/// What is simulated.
#[derive(Clone, Copy, Debug)]
pub struct Machine {
    /// Clients, one queue pair each.
    pub clients: usize,
    /// CPUs that their threads share.
    pub cpus: usize,
    /// Operations per second of a queue pair whose poster runs.
    pub ops: f64,
    /// Steps for which a thread keeps its CPU if others wait, at least; up to twice as many.
    pub turn: u64,
    /// Steps by which a client starts after the one before it.
    pub skew: u64,
    /// Steps that printing takes, per other client that prints in the same step or waits to.
    pub print: u64,
    /// Whether clients are not equally fast: the last has 0.7 of the speed of the first.
    pub unequal: bool,
    /// Seed.
    pub seed: u64,
}

/// What came out.
pub struct Run {
    /// Lines in the order in which they were printed.
    pub lines: Vec<PrintedRate>,
    /// Operations per second of all clients, from the last one's first to the first one's last.
    pub truth: f64,
}

#[derive(Clone, Copy)]
struct Client {
    ops_per_step: f64,
    starts: u64,
    done: f64,
    polled: f64,
    counted: f64,
    began: u64,
    busy_until: u64,
    ended: bool,
}

struct Cpu {
    /// Threads: client and whether it is the poller.
    threads: Vec<(usize, bool)>,
    turn_ends: u64,
}

/// xorshift64* (Vigna 2016): any generator would do.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % bound
    }
}

impl Machine {
    /// Runs until all clients have issued their operations.
    pub fn run(self) -> Run {
        let mut random = Random(self.seed * 2 + 1);
        let mut clients: Vec<Client> = (0..self.clients).map(|index| self.client(index)).collect();
        let mut cpus = self.deal(&mut random);
        let mut lines = Vec::new();
        let mut stream_free = 0;
        // All clients' operations and the time: when the last began and when the first ended.
        let (mut first, mut last) = ((0.0, 0), None);
        for now in 1.. {
            for cpu in &mut cpus {
                self.step(cpu, now, &mut clients, &mut lines, &mut stream_free, &mut random);
            }
            let done = clients.iter().map(|client| client.done).sum::<f64>();
            if clients.iter().any(|client| client.starts == now) {
                first = (done, now);
            }
            if clients.iter().any(|client| client.ended) {
                last.get_or_insert((done, now));
            }
            if clients.iter().all(|client| client.ended) {
                break;
            }
        }
        let last = last.expect("all have ended");
        let truth = (last.0 - first.0) / ((last.1 - first.1) as f64 / SECOND);
        Run { lines, truth }
    }

    fn client(&self, index: usize) -> Client {
        let share = if self.unequal { 0.3 * index as f64 / self.clients as f64 } else { 0.0 };
        let starts = self.skew * index as u64;
        Client {
            ops_per_step: self.ops * (1.0 - share) / SECOND,
            starts,
            done: 0.0,
            polled: 0.0,
            counted: 0.0,
            began: starts,
            busy_until: 0,
            ended: false,
        }
    }

    /// Threads in a random order over the CPUs, as evenly as that goes.
    fn deal(&self, random: &mut Random) -> Vec<Cpu> {
        let mut threads: Vec<_> =
            (0..self.clients).flat_map(|client| [(client, false), (client, true)]).collect();
        for index in (1..threads.len()).rev() {
            threads.swap(index, random.below(index as u64 + 1) as usize);
        }
        let cpu = |first: usize| Cpu {
            threads: threads.iter().copied().skip(first).step_by(self.cpus).collect(),
            turn_ends: 0,
        };
        (0..self.cpus).map(cpu).collect()
    }

    fn step(
        &self,
        cpu: &mut Cpu,
        now: u64,
        clients: &mut [Client],
        lines: &mut Vec<PrintedRate>,
        stream_free: &mut u64,
        random: &mut Random,
    ) {
        cpu.threads.retain(|&(client, _)| !clients[client].ended);
        if cpu.threads.is_empty() {
            return;
        }
        if now >= cpu.turn_ends {
            cpu.threads.rotate_left(1);
            cpu.turn_ends = now + self.turn + random.below(self.turn + 1);
        }
        let (index, polls) = cpu.threads[0];
        let client = &mut clients[index];
        if now <= client.starts {
            return;
        }
        if polls {
            self.poll(index, client, now, lines, stream_free);
        } else {
            let room = client.polled + DEPTH;
            client.done = (client.done + client.ops_per_step).min(OPERATIONS).min(room);
        }
    }

    fn poll(
        &self,
        index: usize,
        client: &mut Client,
        now: u64,
        lines: &mut Vec<PrintedRate>,
        stream_free: &mut u64,
    ) {
        if now < client.busy_until {
            return;
        }
        client.polled = client.done;
        // The poller that counts the last operation ends, and prints no more.
        client.ended = client.done >= OPERATIONS;
        if client.ended || now - client.began < EPOCH {
            return;
        }
        let rate = (client.done - client.counted) / ((now - client.began) as f64 / SECOND);
        let micro_ops = (rate * 1e6).round() as u64;
        lines.push(PrintedRate { client: index as u32, micro_ops });
        // One line at a time: who comes while another prints waits, and counts meanwhile nothing.
        *stream_free = now.max(*stream_free) + self.print;
        client.busy_until = *stream_free;
        client.counted = client.done;
        client.began = client.busy_until;
    }
}
