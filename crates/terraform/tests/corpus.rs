//! Every plan of the shared corpus is read, and most references are resolved. Skipped where the corpus is absent.

use std::fs::File;
use std::path::PathBuf;

use pullproof_terraform::{Options, Plan};

fn plans() -> Option<Vec<PathBuf>> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus/terraform/plans");
    let mut out: Vec<PathBuf> = std::fs::read_dir(folder).ok()?.flatten().map(|e| e.path()).collect();
    out.sort();
    Some(out)
}

#[test]
fn every_plan_is_read_and_references_are_followed() {
    let Some(plans) = plans() else {
        eprintln!("skipped: ../shared/corpus/terraform/plans is absent");
        return;
    };
    assert!(plans.len() >= 20);
    let (mut resolved, mut open) = (0, Vec::new());
    for path in plans {
        let plan = Plan::read(File::open(&path).expect("opens"))
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let overlay = plan.edits(None, &Options::default());
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let counted =
            plan.instances.iter().filter(|i| i.mode == pullproof_terraform::plan::Mode::Managed).count();
        let said = overlay.mapped.len() + overlay.ignored.len() + overlay.unmapped.len();
        assert_eq!(said, counted, "{name}: every instance is mapped, ignored or not mapped");
        resolved += overlay.references.resolved;
        open.extend(overlay.references.open.iter().map(|o| format!("{name}: {o}")));
    }
    println!("resolved {resolved}, open {}:\n{}", open.len(), open.join("\n"));
    let all = resolved + open.len();
    assert!(resolved * 10 >= all * 9, "{resolved} of {all} resolved");
}
