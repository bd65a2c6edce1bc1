//! IP protocols, as security rules name them.

/// What a rule says (F23). `Any` is every IP protocol.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Protocol {
    Any,
    Tcp,
    Udp,
    Icmp,
    Esp,
    Ah,
    /// A word that this version does not know, as written.
    Other(Box<str>),
}

impl Protocol {
    /// Any letter case (F23); `*`, `Any` and `All` are every protocol.
    pub fn word(text: &str) -> Self {
        const WORDS: [(&str, Protocol); 8] = [
            ("*", Protocol::Any),
            ("Any", Protocol::Any),
            ("All", Protocol::Any),
            ("Tcp", Protocol::Tcp),
            ("Udp", Protocol::Udp),
            ("Icmp", Protocol::Icmp),
            ("Esp", Protocol::Esp),
            ("Ah", Protocol::Ah),
        ];
        let known = WORDS.iter().find(|(word, _)| word.eq_ignore_ascii_case(text.trim()));
        known.map_or_else(|| Self::Other(text.into()), |(_, protocol)| protocol.clone())
    }
}

/// A set of protocols, for flows: TCP, UDP, and all others as one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Protocols {
    pub tcp: bool,
    pub udp: bool,
    /// ICMP, ESP, AH and the rest; never decides a pull (F24).
    pub other: bool,
}

impl Protocols {
    pub const NONE: Self = Self { tcp: false, udp: false, other: false };
    pub const TCP: Self = Self { tcp: true, udp: false, other: false };
    pub const UDP: Self = Self { tcp: false, udp: true, other: false };
    pub const ALL: Self = Self { tcp: true, udp: true, other: true };

    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }

    pub fn union(self, o: Self) -> Self {
        Self { tcp: self.tcp || o.tcp, udp: self.udp || o.udp, other: self.other || o.other }
    }

    pub fn intersect(self, o: Self) -> Self {
        Self { tcp: self.tcp && o.tcp, udp: self.udp && o.udp, other: self.other && o.other }
    }

    pub fn subtract(self, o: Self) -> Self {
        Self { tcp: self.tcp && !o.tcp, udp: self.udp && !o.udp, other: self.other && !o.other }
    }

    pub fn is_subset(self, o: Self) -> bool {
        self.subtract(o).is_empty()
    }
}
