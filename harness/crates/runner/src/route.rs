//! Whether both sides mean the same way to each other.

use onesided_results::vocabulary::{Phase, Side};
use onesided_transport::{EndpointAddress, GidChoice};

use crate::error::RunError;

/// Refuses a connection in which only one side uses a GID.
///
/// It takes both for packets to carry a global route header. On InfiniBand, where the LID routes,
/// a GID that one side alone was told to use would be left out without a word.
pub(crate) fn check(own: Side, gid: &GidChoice, peer: &[EndpointAddress]) -> Result<(), RunError> {
    let theirs = peer.iter().any(|endpoint| endpoint.gid.is_some());
    let (with, without) = match (gid.entry.is_some(), own) {
        (ours, _) if ours == theirs || peer.is_empty() => return Ok(()),
        (true, Side::Client) | (false, Side::Server) => (Side::Client, Side::Server),
        (true, Side::Server) | (false, Side::Client) => (Side::Server, Side::Client),
    };
    let what = format!(
        "the {with} is to use a GID and the {without} routes by LID: give --gid-index on both \
         sides, or on neither"
    );
    Err(RunError::plain(Phase::Connect, what))
}

#[cfg(test)]
mod tests {
    use onesided_transport::{Gid, GidEntry, GidKind};

    use super::*;

    const GID: Gid = Gid([7; 16]);

    fn chosen(entry: Option<GidEntry>) -> GidChoice {
        GidChoice { entry, reason: String::new() }
    }

    fn with() -> GidChoice {
        chosen(Some(GidEntry { index: 1, kind: GidKind::Infiniband, gid: GID }))
    }

    fn peer(gid: Option<Gid>) -> [EndpointAddress; 1] {
        [EndpointAddress { local_identifier: 1, gid, queue_pairs: Vec::new(), datagram_key: 0 }]
    }

    #[test]
    fn a_gid_on_both_sides_or_on_neither_is_a_route() {
        for side in [Side::Client, Side::Server] {
            assert!(check(side, &with(), &peer(Some(GID))).is_ok());
            assert!(check(side, &chosen(None), &peer(None)).is_ok());
        }
    }

    #[test]
    fn a_gid_on_one_side_alone_is_refused_by_either_side_with_what_to_do() {
        let told = |result: Result<(), RunError>| result.unwrap_err().explanation();
        let client = "the client is to use a GID and the server routes by LID: give --gid-index";
        assert!(told(check(Side::Client, &with(), &peer(None))).starts_with(client));
        assert!(told(check(Side::Server, &chosen(None), &peer(Some(GID)))).starts_with(client));
        let server = "the server is to use a GID and the client routes by LID";
        assert!(told(check(Side::Client, &chosen(None), &peer(Some(GID)))).starts_with(server));
        assert!(told(check(Side::Server, &with(), &peer(None))).starts_with(server));
    }
}
