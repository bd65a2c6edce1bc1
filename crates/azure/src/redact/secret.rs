//! The secret that a redaction is keyed by, and the pseudo-random function made of it.

use ring::hmac;
use ring::rand::{SecureRandom, SystemRandom};

/// What a function's value is for; the same text gives independent values in different uses.
#[derive(Clone, Copy)]
#[repr(u8)]
pub(super) enum Use {
    Name = 1,
    LetterCase = 2,
    Guid = 3,
    Bit = 4,
    Certificate = 5,
}

/// The system has no random bytes.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the system gives no random bytes")]
pub struct NoRandomness;

/// What nobody else knows. The same secret redacts the same text in the same way.
#[derive(Clone)]
pub struct Secret(hmac::Key);

impl Secret {
    /// A new secret from the operating system.
    ///
    /// # Errors
    /// The operating system has no random bytes.
    pub fn random() -> Result<Self, NoRandomness> {
        let mut bytes = [0; 32];
        SystemRandom::new().fill(&mut bytes).map_err(|_| NoRandomness)?;
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &bytes)))
    }

    /// The secret made of a phrase: to redact two snapshots alike.
    pub fn of_phrase(phrase: &str) -> Self {
        Self(hmac::Key::new(hmac::HMAC_SHA256, phrase.as_bytes()))
    }

    /// 16 pseudo-random bytes for a text in a use.
    pub(super) fn bytes(&self, of: Use, text: &[u8]) -> [u8; 16] {
        let mut context = hmac::Context::with_key(&self.0);
        context.update(&[of as u8]);
        context.update(text);
        let mut out = [0; 16];
        for (to, from) in out.iter_mut().zip(context.sign().as_ref()) {
            *to = *from;
        }
        out
    }
}
