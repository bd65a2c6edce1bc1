//! Writing the native form (CONTRACT §1): header, a resource a line, evidence, gaps, end line.
//!
//! What lives here: the one writer of snapshot files. What may not: what is worth writing.

use std::collections::BTreeMap;
use std::collections::hash_map::DefaultHasher;
use std::fs::{File, OpenOptions};
use std::hash::{Hash, Hasher};
use std::io::{self, BufReader, BufWriter, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::evidence::Evidence;
use crate::gap::Gap;
use crate::id::ArmId;

/// Space that is kept for scopes and times that are known only at the end.
const SPARE: usize = 1024;

/// A snapshot file in the making.
///
/// Lines go to a file beside the target that only its owner may read; [`Writer::finish`] renames it to the target, so
/// that the target is either the old or the new one, whole. Dropped without that, the file beside it is removed.
///
/// A resource that is written again replaces what was written before.
pub struct Writer {
    target: PathBuf,
    beside: PathBuf,
    /// `None` once finished.
    file: Option<BufWriter<File>>,
    at: u64,
    reserved: u64,
    from: String,
    /// Folded id → its line.
    lines: BTreeMap<Box<str>, Line>,
    /// Lines that count no more: offset → length.
    dead: BTreeMap<u64, u64>,
}

#[derive(Clone, Copy)]
struct Line {
    at: u64,
    length: u64,
    hash: u64,
}

/// What writing a resource did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Written {
    New,
    /// It was there, with the same text.
    Same,
    Changed,
}

impl Writer {
    /// Begins a snapshot that becomes `target`. `captured_from` is RFC 3339.
    pub fn create(target: &Path, captured_from: &str, scopes: &[String]) -> io::Result<Self> {
        let mut name = target.file_name().unwrap_or_default().to_os_string();
        name.push(format!(".{}.partial", std::process::id()));
        let beside = target.with_file_name(name);
        let mut options = OpenOptions::new();
        options.read(true).write(true).create_new(true);
        #[cfg(unix)]
        {
            use std::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let _ = std::fs::remove_file(&beside);
        let mut file = BufWriter::with_capacity(1 << 18, options.open(&beside)?);
        let header = header(captured_from, captured_from, scopes);
        let reserved = header.len().saturating_add(SPARE);
        file.write_all(&padded(header, reserved))?;
        let reserved = reserved as u64;
        Ok(Self {
            target: target.to_owned(),
            beside,
            file: Some(file),
            at: reserved,
            reserved,
            from: captured_from.to_owned(),
            lines: BTreeMap::new(),
            dead: BTreeMap::new(),
        })
    }

    /// Writes a resource as ARM returned it; line breaks between tokens are taken out.
    pub fn resource(&mut self, id: &ArmId, text: &[u8]) -> io::Result<Written> {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        let before = self.lines.get(id.folded()).copied();
        if before.is_some_and(|line| line.hash == hash) {
            return Ok(Written::Same);
        }
        let (at, length) = self.line(text)?;
        self.lines.insert(id.folded().into(), Line { at, length, hash });
        match before {
            Some(old) => {
                self.dead.insert(old.at, old.length);
                Ok(Written::Changed)
            }
            None => Ok(Written::New),
        }
    }

    /// Takes a resource out again: it is gone. True when it was there.
    pub fn forget(&mut self, id: &ArmId) -> bool {
        let Some(line) = self.lines.remove(id.folded()) else { return false };
        self.dead.insert(line.at, line.length);
        true
    }

    /// Whether a resource was written.
    pub fn holds(&self, id: &ArmId) -> bool {
        self.lines.contains_key(id.folded())
    }

    /// The folded ids that were written, in order.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.lines.keys().map(AsRef::as_ref)
    }

    /// How many resources it holds.
    pub fn resources(&self) -> usize {
        self.lines.len()
    }

    /// The text of a resource that was written.
    pub fn text(&mut self, id: &ArmId) -> io::Result<Option<Vec<u8>>> {
        let Some(line) = self.lines.get(id.folded()).copied() else { return Ok(None) };
        let Some(file) = self.file.as_mut() else { return Ok(None) };
        file.flush()?;
        let mut text = vec![0; usize::try_from(line.length).unwrap_or_default()];
        let inner = file.get_mut();
        inner.seek(SeekFrom::Start(line.at))?;
        inner.read_exact(&mut text)?;
        inner.seek(SeekFrom::Start(self.at))?;
        Ok(Some(text))
    }

    /// Writes a service tag list as the API answered: a line that is no resource of its own.
    pub fn tags(&mut self, text: &[u8]) -> io::Result<()> {
        self.line(text).map(|_| ())
    }

    pub fn evidence(&mut self, evidence: &Evidence) -> io::Result<()> {
        let line = json!({
            "pullproof": "evidence",
            "resource": evidence.resource.as_written(),
            "operation": evidence.operation,
            "captured": evidence.captured,
            "answer": evidence.answer,
        });
        self.line(&serde_json::to_vec(&line)?).map(|_| ())
    }

    pub fn gap(&mut self, gap: &Gap) -> io::Result<()> {
        let mut line = serde_json::to_value(gap)?;
        if let Some(object) = line.as_object_mut() {
            object.insert("pullproof".into(), json!("gap"));
        }
        self.line(&serde_json::to_vec(&line)?).map(|_| ())
    }

    /// Ends the snapshot and puts it in the target's place. `complete`: scope → types that are completely read in it;
    /// `scopes`: what the snapshot is about. Both may say more than was known at the start.
    pub fn finish(
        mut self,
        captured_to: &str,
        scopes: &[String],
        complete: &BTreeMap<String, Vec<String>>,
    ) -> io::Result<()> {
        let rows: Vec<Value> =
            complete.iter().map(|(scope, types)| json!({"scope": scope, "types": types})).collect();
        let end = json!({"pullproof": "end", "complete": rows, "resources": self.lines.len()});
        self.line(&serde_json::to_vec(&end)?)?;
        let Some(file) = self.file.take() else { return Ok(()) };
        let mut file = file.into_inner().map_err(io::IntoInnerError::into_error)?;
        let header = header(&self.from, captured_to, scopes);
        let reserved = usize::try_from(self.reserved).unwrap_or(usize::MAX);
        if header.len() <= reserved && self.dead.is_empty() {
            file.seek(SeekFrom::Start(0))?;
            file.write_all(&padded(header, reserved))?;
        } else {
            self.compact(&mut file, &header)?;
        }
        file.sync_all()?;
        std::fs::rename(&self.beside, &self.target)
    }

    /// Moves the living lines together behind a header that may be longer than the space that was kept.
    fn compact(&self, file: &mut File, header: &[u8]) -> io::Result<()> {
        let grown = header.len() as u64 > self.reserved;
        // Lines only ever move towards the start, unless the header has outgrown its space: then by way of memory.
        let mut kept: Vec<u8> = Vec::new();
        let mut source = BufReader::with_capacity(1 << 18, file.try_clone()?);
        let mut to = self.reserved;
        let mut from = self.reserved;
        let dead = self.dead.iter().map(|(at, length)| (*at, *length)).chain([(self.at, 0)]);
        for (at, length) in dead {
            let mut left = at.saturating_sub(from);
            let mut piece = vec![0; 1 << 18];
            while left > 0 {
                let size = usize::try_from(left).unwrap_or(usize::MAX).min(piece.len());
                let Some(part) = piece.get_mut(..size) else { break };
                source.seek(SeekFrom::Start(from))?;
                source.read_exact(part)?;
                if grown {
                    kept.extend_from_slice(part);
                } else {
                    file.seek(SeekFrom::Start(to))?;
                    file.write_all(part)?;
                }
                to = to.saturating_add(size as u64);
                from = from.saturating_add(size as u64);
                left = left.saturating_sub(size as u64);
            }
            // The line break goes with its line.
            from = at.saturating_add(length).saturating_add(1);
        }
        file.seek(SeekFrom::Start(0))?;
        if grown {
            file.write_all(header)?;
            file.write_all(b"\n")?;
            file.write_all(&kept)?;
        } else {
            let reserved = usize::try_from(self.reserved).unwrap_or(usize::MAX);
            file.write_all(&padded(header.to_vec(), reserved))?;
            file.seek(SeekFrom::Start(to))?;
        }
        let end = file.stream_position()?;
        file.set_len(end)
    }

    /// Writes one line; where it stands and how long it is, without the line break.
    fn line(&mut self, text: &[u8]) -> io::Result<(u64, u64)> {
        let Some(file) = self.file.as_mut() else { return Err(io::ErrorKind::BrokenPipe.into()) };
        let mut length = 0_u64;
        for part in text.split(|byte| matches!(byte, b'\n' | b'\r')) {
            file.write_all(part)?;
            length = length.saturating_add(part.len() as u64);
        }
        file.write_all(b"\n")?;
        let at = self.at;
        self.at = at.saturating_add(length).saturating_add(1);
        Ok((at, length))
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        if self.file.take().is_some() {
            let _ = std::fs::remove_file(&self.beside);
        }
    }
}

fn header(from: &str, to: &str, scopes: &[String]) -> Vec<u8> {
    let header =
        json!({"pullproof": "snapshot/v1", "captured_from": from, "captured_to": to, "scopes": scopes});
    header.to_string().into_bytes()
}

/// The header with blanks up to `size` bytes, the line break included.
fn padded(mut header: Vec<u8>, size: usize) -> Vec<u8> {
    header.resize(size.saturating_sub(1).max(header.len()), b' ');
    header.push(b'\n');
    header
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::completeness::Absence;
    use crate::read::{ReadOptions, read};

    const SUBSCRIPTION: &str = "/subscriptions/00000000-0000-0000-0000-000000000001";

    fn id(name: &str) -> ArmId {
        ArmId::new(&format!(
            "{SUBSCRIPTION}/resourceGroups/rg/providers/Microsoft.Network/virtualNetworks/{name}"
        ))
    }

    fn text(name: &str, tag: &str) -> Vec<u8> {
        format!("{{\"id\":\"{}\",\n\"tags\":{{\"t\":\"{tag}\"}},\"properties\":{{}}}}", id(name).as_written())
            .into_bytes()
    }

    fn folder(name: &str) -> PathBuf {
        let dir = std::env::temp_dir().join(format!("pullproof-write-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&dir).expect("a folder");
        dir
    }

    fn written(name: &str, scopes_at_end: &[String]) -> crate::Snapshot {
        let dir = folder(name);
        let path = dir.join("s.ndjson");
        let mut writer =
            Writer::create(&path, "2026-01-01T00:00:00Z", &[SUBSCRIPTION.into()]).expect("a file");
        for name in ["a", "b", "c"] {
            assert_eq!(writer.resource(&id(name), &text(name, "1")).expect("written"), Written::New);
        }
        assert_eq!(writer.resource(&id("B"), &text("b", "1")).expect("written"), Written::Same);
        assert_eq!(writer.resource(&id("A"), &text("a", "2")).expect("written"), Written::Changed);
        assert!(writer.forget(&id("c")));
        let back = writer.text(&id("a")).expect("read").expect("is there");
        assert!(String::from_utf8_lossy(&back).contains("\"t\":\"2\""));
        let gap = Gap {
            scope: Some(SUBSCRIPTION.into()),
            types: vec!["Microsoft.Network/routeTables".into()],
            ..Gap::default()
        };
        writer.gap(&gap).expect("written");
        let complete =
            BTreeMap::from([(SUBSCRIPTION.to_owned(), vec!["Microsoft.Network/virtualNetworks".to_owned()])]);
        writer.finish("2026-01-01T00:05:00Z", scopes_at_end, &complete).expect("finished");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = std::fs::metadata(&path).expect("metadata").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        assert_eq!(std::fs::read_dir(&dir).expect("a folder").count(), 1, "nothing is left beside");
        let snapshot = read(&[path], ReadOptions::default()).expect("a snapshot");
        std::fs::remove_dir_all(&dir).expect("removed");
        snapshot
    }

    #[test]
    fn what_is_written_is_read_back() {
        let many: Vec<String> = (0..200).map(|i| format!("{SUBSCRIPTION}{i}")).collect();
        for (name, scopes) in [("short", vec![SUBSCRIPTION.to_owned()]), ("long", many)] {
            let snapshot = written(name, &scopes);
            assert_eq!(snapshot.captured_to(), Some("2026-01-01T00:05:00Z"));
            let a = snapshot.find(id("a").folded()).expect("a is there");
            assert_eq!(snapshot.json(a)["tags"]["t"], "2");
            assert!(snapshot.find(id("b").folded()).is_some());
            assert!(snapshot.find(id("c").folded()).is_none());
            assert_eq!(snapshot.gaps().len(), 1);
            assert_eq!(
                snapshot.absence(SUBSCRIPTION, "Microsoft.Network/virtualNetworks"),
                Absence::Evidence { assumption: None }
            );
        }
    }

    #[test]
    fn an_abandoned_snapshot_leaves_nothing() {
        let dir = folder("abandoned");
        let writer = Writer::create(&dir.join("s.ndjson"), "2026-01-01T00:00:00Z", &[]).expect("a file");
        drop(writer);
        assert_eq!(std::fs::read_dir(&dir).expect("a folder").count(), 0);
        std::fs::remove_dir_all(&dir).expect("removed");
    }
}
