//! Addresses as people write them: HOST:PORT.

use std::{
    io::{self, ErrorKind},
    net::{Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _},
};

/// The addresses that `address` stands for.
///
/// A program that is linked statically knows numbers and `localhost` alone: to look up another name, the C
/// library in it may load libraries of the machine that it runs on (`nsswitch.conf(5)`), which fit by chance.
///
/// # Errors
/// It is no address, or nothing is known by that name.
pub(crate) fn resolve(address: &str) -> io::Result<Vec<SocketAddr>> {
    if cfg!(target_feature = "crt-static") {
        return without_looking_up(address);
    }
    address.to_socket_addrs().map(Iterator::collect)
}

fn without_looking_up(address: &str) -> io::Result<Vec<SocketAddr>> {
    if let Ok(number) = address.parse() {
        return Ok(vec![number]);
    }
    let port = address.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    let Some(port) = port else {
        let what = "this program is linked statically and looks up no name: write HOST:PORT with a number, \
                    as 10.0.0.2:18515";
        return Err(io::Error::new(ErrorKind::InvalidInput, what));
    };
    Ok(vec![(Ipv4Addr::LOCALHOST, port).into(), (Ipv6Addr::LOCALHOST, port).into()])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_this_host_need_no_lookup_and_other_names_are_refused() {
        let found = |address| without_looking_up(address).map(|found| found[0].to_string());
        assert_eq!(found("10.0.0.2:18515").unwrap(), "10.0.0.2:18515");
        assert_eq!(found("[fe80::1]:1").unwrap(), "[fe80::1]:1");
        assert_eq!(found("localhost:1").unwrap(), "127.0.0.1:1");
        for wrong in ["server:18515", "localhost", "localhost:x", ""] {
            let told = found(wrong).unwrap_err().to_string();
            assert!(told.contains("write HOST:PORT with a number"), "{wrong}: {told}");
        }
    }

    #[test]
    fn both_ways_agree_on_numbers() {
        for address in ["127.0.0.1:1", "[::1]:2"] {
            assert_eq!(resolve(address).unwrap(), without_looking_up(address).unwrap());
        }
    }
}
