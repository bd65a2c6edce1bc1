//! Colour and line width: colour only where asked for, narrow terminals respected.

/// How text is laid out.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    pub colour: bool,
    /// Columns; at least 40 are used.
    pub width: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self { colour: false, width: 100 }
    }
}

pub(super) struct Paint {
    style: Style,
}

impl Paint {
    pub fn new(style: Style) -> Self {
        Self { style: Style { width: style.width.max(40), ..style } }
    }

    pub fn width(&self) -> usize {
        self.style.width
    }

    pub fn bad(&self, text: &str) -> String {
        self.code("1;31", text)
    }

    pub fn good(&self, text: &str) -> String {
        self.code("1;32", text)
    }

    pub fn doubt(&self, text: &str) -> String {
        self.code("1;33", text)
    }

    pub fn bold(&self, text: &str) -> String {
        self.code("1", text)
    }

    pub fn faint(&self, text: &str) -> String {
        self.code("2", text)
    }

    fn code(&self, code: &str, text: &str) -> String {
        if self.style.colour { format!("\u{1b}[{code}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

/// `line` folded to `width`, continuation lines starting with `indent`. Words longer than a line (ids, pointers) stay
/// whole, so that they can be copied.
pub(super) fn wrapped(line: &str, indent: &str, width: usize) -> String {
    let lead: String = line.chars().take_while(|c| *c == ' ').collect();
    let options = textwrap::Options::new(width)
        .initial_indent(&lead)
        .subsequent_indent(indent)
        .break_words(false)
        .word_splitter(textwrap::WordSplitter::NoHyphenation);
    textwrap::fill(line.trim_start(), options)
}
