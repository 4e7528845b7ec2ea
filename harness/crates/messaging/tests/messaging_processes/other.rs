//! Another process, as the first one has it.

use std::{
    env,
    io::{BufRead, BufReader, Write},
    path::Path,
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use onesided_messaging::{Barrier, BarrierInvitation, Channel, Opening, OpeningBarrier, Settings};
use onesided_rmc::RmcDevice;
use serde::{Serialize, de::DeserializeOwned};

use crate::{OTHER, side::connection};

/// What the other process does.
#[derive(Clone, Copy)]
pub enum Role {
    /// It makes channels as it is asked, and sends back what it receives.
    Echo,
    /// It is a node of a barrier of three, until the first is gone.
    Meet(usize),
}

impl Role {
    fn name(self) -> String {
        match self {
            Self::Echo => "echo".to_owned(),
            Self::Meet(node) => node.to_string(),
        }
    }

    /// From its name.
    pub fn named(name: &str) -> Self {
        name.parse().map_or(Self::Echo, Self::Meet)
    }
}

/// Another process. It ends with this.
pub struct Other {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
}

impl Other {
    pub fn start(fabric: &Path, role: Role) -> Self {
        let mut child = Command::new(env::current_exe().expect("this program has a file"))
            .arg(role.name())
            .env(OTHER, fabric)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("this program can be started");
        let to = child.stdin.take().expect("it is piped");
        let from = BufReader::new(child.stdout.take().expect("it is piped"));
        Self { child, to, from }
    }

    fn tell(&mut self, what: &impl Serialize) {
        let line = serde_json::to_string(what).expect("it has a form");
        writeln!(self.to, "{line}").and_then(|()| self.to.flush()).expect("it listens");
    }

    /// The next that it says.
    pub fn told<V: DeserializeOwned>(&mut self) -> V {
        let mut line = String::new();
        self.from.read_line(&mut line).expect("it speaks");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    /// A channel to it.
    pub fn channel(&mut self, device: &RmcDevice, settings: Settings) -> Channel<RmcDevice> {
        let opening = Opening::new(device, &settings).expect("within the limits");
        self.tell(&opening.invitation(None));
        let invitation = self.told();
        let channel = opening.connect(device, &invitation, &connection()).expect("one fabric");
        self.tell(&"connected");
        channel
    }

    /// Ends it without a word to anybody.
    pub fn kill(&mut self) {
        self.child.kill().expect("it is this one's to kill");
        self.child.wait().expect("it ends");
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A barrier with others, of which this process is node 0 and they are the next ones. Each says
/// what it tells every node, and hears what every node tells it.
pub fn barrier(device: &RmcDevice, nodes: usize, others: &mut [Other]) -> Barrier<RmcDevice> {
    let mut opening = OpeningBarrier::new(device, 0, nodes).expect("within the limits");
    let own = (0..nodes).map(|node| opening.invitation(node, None).ok());
    let mut told: Vec<Vec<Option<BarrierInvitation>>> = vec![own.collect()];
    told.extend(others.iter_mut().map(Other::told));
    for (node, other) in (1..).zip(&mut *others) {
        other.tell(&told.iter().map(|told| told[node].clone()).collect::<Vec<_>>());
        let connected: String = other.told();
        assert_eq!(connected, "connected");
        let invitation = told[node][0].as_ref().expect("it tells every other node");
        opening.connect(node, invitation, &connection()).expect("one fabric");
    }
    others.iter_mut().for_each(|other| other.tell(&"all are connected"));
    opening.finish().expect("all are connected")
}
