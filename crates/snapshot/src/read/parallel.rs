//! The same work over many pieces, spread over the cores, results in the order of the pieces.

/// Below this many bytes a second thread costs more than it saves.
const WORTH_THREADS: usize = 1 << 20;
const MAX_THREADS: usize = 16;

/// `work` over every piece; `bytes` is how much text the pieces hold together.
pub(super) fn map<P: Sync, R: Send>(pieces: &[P], bytes: usize, work: impl Fn(&P) -> R + Sync) -> Vec<R> {
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS);
    if threads < 2 || bytes < WORTH_THREADS || pieces.len() < threads {
        return pieces.iter().map(work).collect();
    }
    let share = pieces.len().div_ceil(threads);
    let mut out = Vec::with_capacity(pieces.len());
    std::thread::scope(|scope| {
        let work = &work;
        let handles: Vec<_> = pieces
            .chunks(share)
            .map(|chunk| scope.spawn(move || chunk.iter().map(work).collect::<Vec<R>>()))
            .collect();
        for handle in handles {
            match handle.join() {
                Ok(part) => out.extend(part),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
    });
    out
}
