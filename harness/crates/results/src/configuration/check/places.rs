//! Words that name no place on any machine.
//!
//! What a place means is decided where the machine is known. This only catches a word that can mean
//! nothing anywhere, so that a typing error ends `expand` and not a night of runs.

use std::str::FromStr;

use super::Faults;
use crate::RunConfiguration;
use crate::vocabulary::place::{MemoryPlace, ParsePlaceError, ThreadPlace};

impl RunConfiguration {
    pub(super) fn check_places(&self, faults: &mut Faults) {
        faults.unless_place::<MemoryPlace>("server_region", &self.server_region);
        faults.unless_place::<ThreadPlace>("server_threads", &self.server_threads);
        faults.unless_place::<MemoryPlace>("server_rings", &self.server_rings);
        faults.unless_place::<MemoryPlace>("client_buffers", &self.client_buffers);
        faults.unless_place::<ThreadPlace>("client_threads", &self.client_threads);
        faults.unless_place::<MemoryPlace>("client_rings", &self.client_rings);
        faults.unless_place::<ThreadPlace>("worker_threads", &self.worker_threads);
    }
}

impl Faults {
    pub(super) fn unless_place<Place>(&mut self, field: &'static str, words: &str)
    where
        Place: FromStr<Err = ParsePlaceError>,
    {
        if let Err(ParsePlaceError { value, allowed }) = words.parse::<Place>() {
            self.unless(false, field, format!("\"{value}\""), allowed);
        }
    }
}
