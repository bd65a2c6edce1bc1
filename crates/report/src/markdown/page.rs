//! A page that fits where it goes: parts are added whole or left out.

/// Characters that a pull-request comment takes; bytes are counted, so that no reading of "character" is exceeded.
const LIMIT: usize = 65_536;
/// Kept free for what says how much is left out.
const RESERVE: usize = 2_048;

#[derive(Default)]
pub(super) struct Page {
    text: String,
}

impl Page {
    /// Adds the part exactly when it fits, and says whether it did.
    pub fn add(&mut self, part: &str) -> bool {
        let fits = self.text.len() + part.len() <= LIMIT - RESERVE;
        if fits {
            self.text.push_str(part);
        }
        fits
    }

    /// Adds rows while they fit into the `share`-th part of a page; returns how many are left out.
    pub fn rows(&mut self, rows: &[String], share: usize) -> usize {
        let end = (self.text.len() + LIMIT / share).min(LIMIT - RESERVE);
        let mut shown = 0;
        for row in rows {
            if self.text.len() + row.len() > end {
                break;
            }
            self.text.push_str(row);
            shown += 1;
        }
        rows.len() - shown
    }

    /// The page with its last words.
    pub fn end(mut self, words: &str) -> String {
        let room = LIMIT - self.text.len();
        self.text.push_str(if words.len() <= room { words } else { "" });
        self.text
    }
}
