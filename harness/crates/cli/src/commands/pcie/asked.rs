//! The operations that are asked about.

use anyhow::{Context, anyhow, ensure};
use clap::Args;
use onesided_pcie::{
    LinkLayer, Operation, OperationError, Payload, Post, Side, Signals, Transport, Verb, sides,
};
use onesided_results::vocabulary::PciePost;

use super::{choices::Sweep, link::Linked};
use crate::arguments::{bytes, word};

/// Which operations, or plain transfers.
#[derive(Args)]
pub struct OperationArguments {
    /// What is asked for
    #[arg(long, value_name = "VERB", value_parser = word::<Verb>(),
          required_unless_present_any = ["transfers", "verbs", "hosts"])]
    operation: Option<Verb>,
    /// How queue pairs are connected
    #[arg(long, value_parser = word::<Transport>(), default_value = "rc")]
    transport: Transport,
    /// Bytes of the payload, such as 60B; of an atomic always 8
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    bytes: Option<u64>,
    /// A message without payload, which may have 4 bytes in its header
    #[arg(long, conflicts_with_all = ["bytes", "sweep", "inline"])]
    header_only: bool,
    /// Go through sizes of the payload, such as 0-256 or 8-4KiB/8
    #[arg(long, value_name = "FIRST-LAST[/STEP]", conflicts_with = "bytes")]
    sweep: Option<Sweep>,
    /// Put the payload into the WQE [default of write and send], or a RECV's into its completion
    #[arg(long, conflicts_with = "no_inline")]
    inline: bool,
    /// Leave the payload where it is, and point to it
    #[arg(long)]
    no_inline: bool,
    /// How WQEs get to the card, one way or both, such as mmio,doorbell [default: mmio, or
    /// doorbell with a --batch above 1, and for recv]
    #[arg(long, value_name = "WAYS", value_parser = word::<PciePost>(), value_delimiter = ',')]
    post: Vec<PciePost>,
    /// WQEs a Doorbell, or of a RECV those that the card reads at once
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    batch: u32,
    /// One in so many operations is completed at the requester
    #[arg(long, value_name = "NUMBER", default_value = "1")]
    signal_every: u32,
    /// No operation is completed at the requester
    #[arg(long, conflicts_with = "signal_every")]
    unsignaled: bool,
    /// Bytes of a completion queue entry: 32, 64 or 128
    #[arg(long, value_name = "BYTES", default_value = "64B", value_parser = bytes)]
    completion: u64,
    /// Only what one side takes
    #[arg(long, value_parser = word::<Side>())]
    side: Option<Side>,
    /// Instead of an operation: plain transfers of --bytes or --sweep by MMIO, DMA read and DMA
    /// write
    #[arg(long, conflicts_with_all = ["operation", "header_only", "inline", "no_inline", "post",
          "batch", "signal_every", "unsignaled", "side", "transport", "completion"])]
    pub transfers: bool,
    /// Instead of sums: each transaction of the operation at both sides, in the order of happening
    #[arg(long, requires = "operation", conflicts_with = "side")]
    pub transactions: bool,
    /// Instead of an operation: which transport carries which verb, and the header of its WQE
    #[arg(long, conflicts_with_all = ["operation", "transport", "bytes", "header_only", "sweep",
          "inline", "no_inline", "post", "batch", "signal_every", "unsignaled", "completion", "side",
          "transfers", "hosts", "profile", "generation", "link_layer", "read_completion",
          "max_payload", "max_read_request"])]
    pub verbs: bool,
    /// Instead of an operation: what is between processor and network in the profile's hosts
    #[arg(long, requires = "profile", conflicts_with_all = ["operation", "transport", "bytes",
          "header_only", "sweep", "inline", "no_inline", "post", "batch", "signal_every", "unsignaled",
          "completion", "side", "transfers", "link_layer", "read_completion", "max_payload",
          "max_read_request"])]
    pub hosts: bool,
}

impl OperationArguments {
    /// Sizes of the payload.
    pub fn sizes(&self) -> anyhow::Result<Vec<u64>> {
        let atomic = self.operation.is_some_and(Verb::is_atomic);
        match (self.sweep, self.bytes) {
            (Some(sweep), _) => Ok(sweep.sizes().collect()),
            (None, Some(bytes)) => Ok(vec![bytes]),
            (None, None) if self.header_only => Ok(vec![0]),
            (None, None) if atomic => Ok(vec![8]),
            (None, None) => Err(anyhow!("no size: say --bytes 64B or --sweep 0-256")),
        }
    }

    /// Everything that is asked about, sizes first.
    pub fn operations(&self, linked: &Linked) -> anyhow::Result<Vec<Operation>> {
        let verb = self.operation.context("no --operation")?;
        let link_layer = self.link_layer(linked)?;
        let mut operations = Vec::new();
        for bytes in self.sizes()? {
            for post in self.posts(verb)? {
                let operation = Operation { link_layer, ..self.operation(verb, bytes, post) };
                operation.check().map_err(hinted)?;
                operations.push(operation);
            }
        }
        Ok(operations)
    }

    /// The network below the card. Only datagrams differ by it.
    fn link_layer(&self, linked: &Linked) -> anyhow::Result<LinkLayer> {
        if self.transport != Transport::Ud {
            return Ok(linked.link_layer.unwrap_or(LinkLayer::Infiniband));
        }
        linked.link_layer.with_context(|| {
            let name = linked.profile.as_deref().unwrap_or_default();
            format!(
                "--transport ud: what comes with a datagram depends on the network, and the card of \
                 profile {name} has no link_layer: add it to the card's [[host.nic]], or say \
                 --link-layer infiniband or ethernet"
            )
        })
    }

    /// The sides of a verb that are asked about.
    pub fn sides(&self, verb: Verb) -> anyhow::Result<Vec<Side>> {
        let Some(side) = self.side else { return Ok(sides(verb).to_vec()) };
        ensure!(
            sides(verb).contains(&side),
            "--side {}: a {} is at its responder; its requester's is a send",
            side,
            verb
        );
        Ok(vec![side])
    }

    fn posts(&self, verb: Verb) -> anyhow::Result<Vec<Post>> {
        let doorbell = Post::Doorbell { batch: self.batch };
        if self.post.is_empty() {
            let rung = verb == Verb::Recv || self.batch != 1;
            return Ok(vec![if rung { doorbell } else { Post::Mmio }]);
        }
        ensure!(
            self.batch == 1 || self.post.contains(&PciePost::Doorbell),
            "--batch {} with --post mmio: stores to the card are the same in a batch; say --post \
             doorbell",
            self.batch
        );
        let post = |choice: &PciePost| match choice {
            PciePost::Mmio => Post::Mmio,
            PciePost::Doorbell => doorbell,
        };
        Ok(self.post.iter().map(post).collect())
    }

    fn operation(&self, verb: Verb, bytes: u64, post: Post) -> Operation {
        let usual = Operation::new(verb, self.transport, bytes);
        let payload = match (self.inline, self.no_inline) {
            (true, _) => Payload::Inline,
            (_, true) => Payload::Pointer,
            _ => usual.payload,
        };
        let signals =
            if self.unsignaled { Signals::Never } else { Signals::Every(self.signal_every) };
        Operation { payload, post, signals, completion_bytes: self.completion, ..usual }
    }
}

/// What to do about what cannot be, where the error does not say so.
fn hinted(error: OperationError) -> anyhow::Error {
    let hint = match &error {
        OperationError::InlineTooLong { .. } => "; point to it with --no-inline",
        OperationError::Batch { .. } => ": change --batch",
        OperationError::SignalEvery { .. } => ": change --signal-every, or say --unsignaled",
        OperationError::CompletionBytes { .. } => ": change --completion",
        _ => "",
    };
    anyhow!("{error}{hint}")
}
