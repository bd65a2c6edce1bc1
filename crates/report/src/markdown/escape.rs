//! Names from Azure are no Markdown: what a person may have put into one must not become markup, a link or a mention.

/// Characters of a text that are shown.
const LENGTH: usize = 400;

/// One line of plain text. Whatever Markdown, HTML or GitHub reads as markup is written as a character reference, which
/// never is; a mention, a reference to an issue and a bare address are broken by a space of no width.
pub(super) fn text(raw: &str) -> String {
    let mut out = String::with_capacity(raw.len());
    for (i, c) in line(raw, LENGTH).chars().enumerate() {
        match c {
            // What begins a line makes lists, rules and headings.
            c if i == 0 && !c.is_alphabetic() && !matches!(c, '@' | '#') => {
                out.push_str(&format!("&#{};", u32::from(c)))
            }
            '@' | '#' => out.push_str(&format!("&#{};&#8203;", u32::from(c))),
            '/' if out.ends_with(":/") => out.push_str("&#8203;/"),
            '.' if out.len() >= 3
                && out.get(out.len() - 3..).is_some_and(|w| w.eq_ignore_ascii_case("www")) =>
            {
                out.push_str("&#8203;.");
            }
            c if is_plain(c) => out.push(c),
            c => out.push_str(&format!("&#{};", u32::from(c))),
        }
    }
    out
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric()
        || matches!(
            c,
            ' ' | '.'
                | ','
                | ':'
                | ';'
                | '/'
                | '('
                | ')'
                | '%'
                | '+'
                | '='
                | '?'
                | '\''
                | '"'
                | '-'
                | '…'
                | '→'
                | '·'
        )
}

/// The text in one line, without characters that nobody sees, and at most so many of them.
pub(super) fn line(raw: &str, length: usize) -> String {
    let words: Vec<String> = raw
        .split(|c: char| c.is_whitespace() || c.is_control())
        .map(|word| word.chars().filter(|c| !is_hidden(*c)).collect::<String>())
        .filter(|word| !word.is_empty())
        .collect();
    let whole = words.join(" ");
    match whole.char_indices().nth(length) {
        None => whole,
        Some((end, _)) => format!("{}…", whole.get(..end).unwrap_or_default()),
    }
}

/// Of no width, or turning the direction of what follows.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}
