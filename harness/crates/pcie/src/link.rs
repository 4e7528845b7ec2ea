//! The link between CPU and card: its generation, lanes and sizes.

/// A generation of PCI Express.
///
/// 2.0 and 3.0 are the paper's (003 Fig. 2a). Of the others lane bandwidth is the rate of the base
/// specification less its line code (8b/10b; 128b/130b), and headers are those of the paper's
/// generation with that line code: ours. 6.0 packs its headers otherwise, and is none of these.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Generation {
    /// 2.5 GT/s a lane, 8b/10b.
    Gen1,
    /// 5 GT/s a lane, 8b/10b.
    Gen2,
    /// 8 GT/s a lane, 128b/130b.
    Gen3,
    /// 16 GT/s a lane, 128b/130b.
    Gen4,
    /// 32 GT/s a lane, 128b/130b.
    Gen5,
}

impl Generation {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Gen1, Self::Gen2, Self::Gen3, Self::Gen4, Self::Gen5];

    /// The generation of that number, as hardware profiles have it.
    ///
    /// # Errors
    /// When there is none, or none of which headers are known.
    pub fn of(number: u8) -> Result<Self, LinkError> {
        let found = Self::ALL.into_iter().find(|generation| generation.number() == number);
        found.ok_or_else(|| LinkError::Generation { found: number.to_string() })
    }

    /// 1 to 5.
    pub const fn number(self) -> u8 {
        match self {
            Self::Gen1 => 1,
            Self::Gen2 => 2,
            Self::Gen3 => 3,
            Self::Gen4 => 4,
            Self::Gen5 => 5,
        }
    }

    /// Its name, such as `3.0`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Gen1 => "1.0",
            Self::Gen2 => "2.0",
            Self::Gen3 => "3.0",
            Self::Gen4 => "4.0",
            Self::Gen5 => "5.0",
        }
    }

    /// Bandwidth of a lane in each direction, in bytes a second, without line code: `P_bw`.
    pub const fn lane_bytes_per_second(self) -> u64 {
        match self {
            Self::Gen1 => 250_000_000,
            Self::Gen2 => 500_000_000,
            Self::Gen3 => 984_600_000,
            Self::Gen4 => 1_969_200_000,
            Self::Gen5 => 3_938_400_000,
        }
    }

    /// Bytes around a request, of reading or of writing: `P_r`.
    pub const fn request_header_bytes(self) -> u64 {
        match self {
            Self::Gen1 | Self::Gen2 => 24,
            Self::Gen3 | Self::Gen4 | Self::Gen5 => 26,
        }
    }

    /// Bytes around the data that answer a read: `P_c`.
    pub const fn completion_header_bytes(self) -> u64 {
        match self {
            Self::Gen1 | Self::Gen2 => 20,
            Self::Gen3 | Self::Gen4 | Self::Gen5 => 22,
        }
    }

    /// Where its numbers are from.
    pub const fn source(self) -> &'static str {
        match self {
            Self::Gen2 | Self::Gen3 => "003 Fig 2a",
            Self::Gen1 => "ours: half of 2.0 (003 Fig 2a)",
            Self::Gen4 => "ours: twice 3.0 (003 Fig 2a)",
            Self::Gen5 => "ours: four times 3.0 (003 Fig 2a)",
        }
    }
}

impl std::str::FromStr for Generation {
    type Err = LinkError;

    /// Reads `3.0` or `3`.
    fn from_str(text: &str) -> Result<Self, LinkError> {
        let number = text.strip_suffix(".0").unwrap_or(text);
        let found = Self::ALL.into_iter().find(|one| one.number().to_string() == number);
        found.ok_or_else(|| LinkError::Generation { found: text.to_owned() })
    }
}

/// A link of PCI Express, with what decides how transfers are cut into packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    generation: Generation,
    lanes: u8,
    read_completion_bytes: u64,
    max_payload_bytes: u64,
    max_read_request_bytes: u64,
}

/// Lanes of links that there are, as in hardware profiles.
const LANES: [u8; 6] = [1, 2, 4, 8, 16, 32];

/// Sizes that a register can hold (PCI Express Base Specification 3.0, 7.8.4).
const SIZES: [u64; 6] = [128, 256, 512, 1024, 2048, 4096];

impl Link {
    /// A link with the paper's `C_rc` of 128 bytes (003 §2.1), and what functions have after a
    /// reset: payloads of 128 bytes, read requests of 512 (PCI Express Base Specification 3.0,
    /// 7.8.4; ours, because the paper's writes are shorter and its reads are counted as one).
    ///
    /// # Errors
    /// When there is no link of so many lanes.
    pub fn new(generation: Generation, lanes: u8) -> Result<Self, LinkError> {
        if !LANES.contains(&lanes) {
            return Err(LinkError::Lanes { found: lanes });
        }
        Ok(Self {
            generation,
            lanes,
            read_completion_bytes: 128,
            max_payload_bytes: 128,
            max_read_request_bytes: 512,
        })
    }

    /// The same where completions carry at most `bytes` each: the CPU's read completion combining
    /// size, `C_rc`.
    ///
    /// # Errors
    /// When it is no power of two from 64 to 4096.
    pub fn with_read_completion(self, bytes: u64) -> Result<Self, LinkError> {
        if bytes != 64 && !SIZES.contains(&bytes) {
            return Err(LinkError::ReadCompletion { found: bytes });
        }
        Ok(Self { read_completion_bytes: bytes, ..self })
    }

    /// The same where the card writes at most `bytes` a packet.
    ///
    /// # Errors
    /// When it is no power of two from 128 to 4096.
    pub fn with_max_payload(self, bytes: u64) -> Result<Self, LinkError> {
        if !SIZES.contains(&bytes) {
            return Err(LinkError::MaxPayload { found: bytes });
        }
        Ok(Self { max_payload_bytes: bytes, ..self })
    }

    /// The same where the card asks for at most `bytes` a request.
    ///
    /// # Errors
    /// When it is no power of two from 128 to 4096.
    pub fn with_max_read_request(self, bytes: u64) -> Result<Self, LinkError> {
        if !SIZES.contains(&bytes) {
            return Err(LinkError::MaxReadRequest { found: bytes });
        }
        Ok(Self { max_read_request_bytes: bytes, ..self })
    }

    /// Its generation.
    pub const fn generation(&self) -> Generation {
        self.generation
    }

    /// Its lanes.
    pub const fn lanes(&self) -> u8 {
        self.lanes
    }

    /// Bytes a second in each direction, headers included.
    pub const fn bytes_per_second(&self) -> u64 {
        self.lanes as u64 * self.generation.lane_bytes_per_second()
    }

    /// Most data bytes of a completion, `C_rc`.
    pub const fn read_completion_bytes(&self) -> u64 {
        self.read_completion_bytes
    }

    /// Most data bytes of a packet that the card writes.
    pub const fn max_payload_bytes(&self) -> u64 {
        self.max_payload_bytes
    }

    /// Most bytes that the card asks for at once.
    pub const fn max_read_request_bytes(&self) -> u64 {
        self.max_read_request_bytes
    }
}

/// A link that there is not.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// A generation without known headers.
    #[error("PCI Express {found} is not known here: allowed are 1.0, 2.0, 3.0, 4.0, 5.0")]
    Generation {
        /// What was asked for.
        found: String,
    },
    /// A number of lanes that no link has.
    #[error("{found} lanes: a link has 1, 2, 4, 8, 16 or 32")]
    Lanes {
        /// What was asked for.
        found: u8,
    },
    /// A size that no completion has.
    #[error("completions of {found} B: allowed are powers of two from 64 to 4096")]
    ReadCompletion {
        /// What was asked for, in bytes.
        found: u64,
    },
    /// A size that no register can hold.
    #[error("a largest payload of {found} B: allowed are powers of two from 128 to 4096")]
    MaxPayload {
        /// What was asked for, in bytes.
        found: u64,
    },
    /// A size that no register can hold.
    #[error("a largest read request of {found} B: allowed are powers of two from 128 to 4096")]
    MaxReadRequest {
        /// What was asked for, in bytes.
        found: u64,
    },
}
