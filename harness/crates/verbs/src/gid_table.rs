//! The used entries of a port's GID table.

use std::{ffi::c_int, io, mem};

use onesided_transport::{Gid, GidEntry, GidKind, LinkLayer};

use crate::{
    context::Context,
    ffi::{
        IBV_GID_TYPE_IB, IBV_GID_TYPE_ROCE_V1, IBV_GID_TYPE_ROCE_V2, QueryGidTable, ibv_gid,
        ibv_gid_entry,
    },
    library::check,
    sysfs::Sysfs,
};

/// Which table.
pub(crate) struct Port<'device> {
    pub(crate) device: &'device str,
    pub(crate) number: u8,
    pub(crate) link_layer: LinkLayer,
    /// Entries of the table, used or not.
    pub(crate) table_length: u32,
    /// Ports of the device: the library fills in the entries of all.
    pub(crate) ports: u8,
}

/// The used entries, by index. Entries of a kind that the contract has no word for are left out.
///
/// The library's own table query needs rdma-core 32; below that, or where it fails, the kernel's
/// sysfs tells the kinds and `ibv_query_gid(3)` the addresses.
pub(crate) fn query(
    context: &Context,
    sysfs: &Sysfs,
    port: &Port<'_>,
) -> io::Result<Vec<GidEntry>> {
    let all = context.library().query_gid_table().map(|query| at_once(context, query, port));
    match all {
        Some(Ok(entries)) => Ok(entries),
        Some(Err(_)) | None => one_by_one(context, sysfs, port),
    }
}

fn at_once(context: &Context, query: QueryGidTable, port: &Port<'_>) -> io::Result<Vec<GidEntry>> {
    let room = port.table_length as usize * usize::from(port.ports);
    let mut entries = vec![ibv_gid_entry::default(); room];
    let size = mem::size_of::<ibv_gid_entry>();
    // SAFETY: the context is open, and there is room for as many entries of that size as is said.
    let filled = unsafe { query(context.as_ptr(), entries.as_mut_ptr(), room, 0, size) };
    let Ok(filled) = usize::try_from(filled) else {
        return Err(io::Error::from_raw_os_error(c_int::try_from(-filled).unwrap_or(libc::EIO)));
    };
    entries.truncate(filled);
    let mut used: Vec<_> = entries
        .iter()
        .filter(|entry| entry.port_num == u32::from(port.number))
        .filter_map(translate)
        .collect();
    used.sort_by_key(|entry| entry.index);
    Ok(used)
}

fn translate(entry: &ibv_gid_entry) -> Option<GidEntry> {
    let kind = match entry.gid_type {
        IBV_GID_TYPE_IB => GidKind::Infiniband,
        IBV_GID_TYPE_ROCE_V1 => GidKind::RoceV1,
        IBV_GID_TYPE_ROCE_V2 => GidKind::RoceV2,
        _ => return None,
    };
    let gid = bytes(entry.gid);
    (!gid.is_zero()).then_some(GidEntry { index: entry.gid_index, kind, gid })
}

fn one_by_one(context: &Context, sysfs: &Sysfs, port: &Port<'_>) -> io::Result<Vec<GidEntry>> {
    let mut used = Vec::new();
    for index in 0..port.table_length {
        let Some(kind) = sysfs.gid_kind(port.device, port.number, index, port.link_layer) else {
            continue;
        };
        let gid = address(context, port.number, index)?;
        if !gid.is_zero() {
            used.push(GidEntry { index, kind, gid });
        }
    }
    Ok(used)
}

fn address(context: &Context, port: u8, index: u32) -> io::Result<Gid> {
    let mut gid = ibv_gid::default();
    let index = c_int::try_from(index).map_err(io::Error::other)?;
    let symbols = context.library().symbols();
    // SAFETY: the context is open; the address is written to a variable that lives.
    let code = unsafe { symbols.ibv_query_gid(context.as_ptr(), port, index, &raw mut gid) };
    check(code).map(|()| bytes(gid))
}

/// The 16 bytes, which are in network order in both.
fn bytes(gid: ibv_gid) -> Gid {
    // SAFETY: every bit pattern of the union is bytes.
    Gid(unsafe { gid.raw })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(gid_type: u32, first: u8) -> ibv_gid_entry {
        let mut raw = [0; 16];
        raw[0] = first;
        ibv_gid_entry { gid: ibv_gid { raw }, gid_index: 5, gid_type, ..Default::default() }
    }

    #[test]
    fn an_entry_keeps_its_index_kind_and_address() {
        let found = translate(&entry(IBV_GID_TYPE_ROCE_V2, 0xfe)).expect("it is used");
        assert_eq!((found.index, found.kind, found.gid.0[0]), (5, GidKind::RoceV2, 0xfe));
        let found = translate(&entry(IBV_GID_TYPE_IB, 0xfe)).expect("it is used");
        assert_eq!(found.kind, GidKind::Infiniband);
    }

    #[test]
    fn unused_entries_and_those_of_an_unknown_kind_are_left_out() {
        assert_eq!(translate(&entry(IBV_GID_TYPE_ROCE_V1, 0)), None);
        assert_eq!(translate(&entry(77, 0xfe)), None);
    }
}
