//! `memcached/LOAD.result`; rows and columns of the table say the rest.

use onesided_results::vocabulary::{CodeGeneration, Operation};

use super::Read;
use crate::{
    factors::{Content, Load, Testbed},
    grammar::{Factors, components::Components, run, words},
};

pub(in crate::grammar) fn any(path: &mut Components<'_>) -> Read {
    let node = path.meant("load", words::KEY_VALUE_LOADS)?;
    path.end()?;
    let base = run("memcached", Testbed::ConnectX3, CodeGeneration::V1);
    let load = Load { node, bytes: None };
    Ok(Factors {
        content: Content::KeyValue,
        generation: None,
        operation: Operation::Mixed,
        // Keys and values of a pair (SRDS 2020, section VI).
        access_bytes: 67,
        mtu_bytes: None,
        load,
        ..base
    })
}
