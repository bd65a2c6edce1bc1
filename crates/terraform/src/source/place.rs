//! Places in a text: lines and columns as editors and code hosts count them.

use std::ops::Range;

/// A place in a source file. Lines and columns count from one; columns are UTF-16 code units, and the end is exclusive.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub file: String,
    pub line: u64,
    pub column: u64,
    pub end_line: u64,
    pub end_column: u64,
    /// The first line of the place, without the space round it.
    pub text: String,
}

/// Where the lines of a text begin.
pub(crate) struct Lines(Vec<usize>);

impl Lines {
    pub(crate) fn of(text: &str) -> Self {
        let starts = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(std::iter::once(0).chain(starts.map(|(at, _)| at.saturating_add(1))).collect())
    }

    /// Line and column of an offset in the text.
    fn at(&self, text: &str, offset: usize) -> (u64, u64) {
        let line = self.0.partition_point(|start| *start <= offset);
        let start = line.checked_sub(1).and_then(|i| self.0.get(i)).copied().unwrap_or_default();
        let before = text.get(start..offset).unwrap_or_default();
        let column = before.encode_utf16().count().saturating_add(1);
        (u64::try_from(line).unwrap_or(1), u64::try_from(column).unwrap_or(1))
    }

    pub(crate) fn place(&self, file: &str, text: &str, span: &Range<usize>) -> Place {
        let (line, column) = self.at(text, span.start);
        // A span that takes in the space behind it ends where its last character does.
        let inside = text.get(span.clone()).unwrap_or_default().trim_end();
        let (end_line, end_column) = self.at(text, span.start.saturating_add(inside.len()));
        let first = usize::try_from(line).ok().and_then(|line| self.0.get(line.checked_sub(1)?)).copied();
        let whole = first.and_then(|start| text.get(start..)).unwrap_or_default();
        Place {
            file: file.to_owned(),
            line,
            column,
            end_line,
            end_column,
            text: whole.lines().next().unwrap_or_default().trim().to_owned(),
        }
    }
}
