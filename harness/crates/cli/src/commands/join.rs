//! `onesided join`: a further client host.

use anyhow::Context;
use clap::Args;
use onesided_platform::measuring::HostLock;
use onesided_results::vocabulary::Source;
use onesided_runner::{Site, take_part};
use onesided_transport::Transport;

use crate::{
    arguments::{DeviceArguments, ServerArguments},
    back_end::{OnDevice, on_device},
    ending::Ending,
    interruption::leave_nothing_behind,
    printed::counted,
};

/// Takes part, as a further client host, in the runs that `onesided run` asks a server for.
///
/// It has a share of the threads and queue pairs of each run with client_hosts above 1, starts with
/// the others at one instant, and hands its counts to the client that asked; so it writes no files
/// and needs no run table. It goes on until the server ends.
#[derive(Args)]
#[command(after_help = "Examples:
  onesided serve --listen 10.0.0.2:18515                    on the server
  onesided join --server 10.0.0.2:18515                     on each further client
  onesided run --server 10.0.0.2:18515 --client-hosts 3 --threads 12 --queue-pairs 12
                                                            on the client that keeps the results")]
pub struct Arguments {
    #[command(flatten)]
    server: ServerArguments,
    #[command(flatten)]
    device: DeviceArguments,
}

/// Takes part until the server ends.
pub fn run(arguments: &Arguments) -> anyhow::Result<Ending> {
    leave_nothing_behind()?;
    on_device(&arguments.device, Joining(arguments))
}

struct Joining<'a>(&'a Arguments);

impl OnDevice for Joining<'_> {
    type Output = Ending;

    fn on<T: Transport + Sync>(
        self,
        mut site: Site<'_, T>,
        _source: Source,
    ) -> anyhow::Result<Ending> {
        site.host_lock = Some(HostLock::usual());
        join(self.0, &site)
    }
}

fn join<T: Transport + Sync>(arguments: &Arguments, site: &Site<'_, T>) -> anyhow::Result<Ending> {
    let server = &arguments.server.server;
    let channel = arguments.server.connect()?;
    let described = site.transport.description();
    say!("joined {server} with {} (port {}); {}", described.name, described.port, site.locality);
    let done = take_part(site, &channel, &|line| say!("{line}")).with_context(|| {
        format!("the server at {server} is gone: start it again and repeat this command")
    })?;
    let runs = counted(done.finished, "run");
    say!("the server has ended; {runs} from here, {} failed", done.failed);
    Ok(Ending::Valid)
}
