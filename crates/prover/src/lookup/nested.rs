//! Lookups inside lookups: the way to a resolver may lead through a firewall whose rules name hosts, which that firewall
//! looks up itself (F123). Firewalls that need each other for it would go on for ever.

use std::cell::Cell;

/// Deeper than any estate needs.
const DEEPEST: u8 = 6;

thread_local! {
    static DEPTH: Cell<u8> = const { Cell::new(0) };
}

/// One lookup on this thread; ends when it is dropped.
pub(super) struct Inside(());

impl Inside {
    /// `None` exactly when the nesting is too deep.
    pub fn enter() -> Option<Self> {
        DEPTH.with(|depth| {
            let now = depth.get();
            (now < DEEPEST).then(|| {
                depth.set(now + 1);
                Self(())
            })
        })
    }
}

impl Drop for Inside {
    fn drop(&mut self) {
        DEPTH.with(|depth| depth.set(depth.get().saturating_sub(1)));
    }
}
