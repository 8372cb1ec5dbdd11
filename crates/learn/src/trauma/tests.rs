//! Tests of the guard's decisions.

use proptest::prelude::*;

use super::*;

const GROUND: PathContext<'static> = PathContext::new("/home/ada/shop", "/home/ada");

fn judgement(command: &str) -> GuardVerdict {
    decide(command, &GROUND, &[], &[]).judgement
}

fn past(class: DangerClass, shape: &str) -> PastIncident {
    PastIncident {
        bullet: "b-1".to_owned(),
        class,
        shape: shape.to_owned(),
        session: "s-9".to_owned(),
        date: "2026-10-02".to_owned(),
        sessions: Vec::new(),
    }
}

#[test]
fn a_past_incident_makes_a_warning_a_refusal_and_is_listed() {
    let command = "git clean -fd";
    assert_eq!(judgement(command), GuardVerdict::Warn);
    let decision = decide(command, &GROUND, &[past(DangerClass::HardReset, "git clean -f")], &[]);
    assert_eq!(decision.judgement, GuardVerdict::Block);
    assert!(decision.reason.contains("2026-10-02") && decision.reason.contains("s-9"), "{}", decision.reason);
    let other = [past(DangerClass::Files, "rm <outside> -f -r")];
    assert_eq!(decide("rm -rf src", &GROUND, &other, &[]).judgement, GuardVerdict::Warn);
    assert_eq!(
        decide("git push origin main", &GROUND, &[past(DangerClass::ForcePush, "git push --force")], &[])
            .judgement,
        GuardVerdict::Allow
    );
}

#[test]
fn bq_rm_blocks() {
    assert_eq!(judgement("bq rm -r -f dataset"), GuardVerdict::Block);
    assert_eq!(judgement("bq query 'DROP TABLE a.b'"), GuardVerdict::Block);
    assert_eq!(judgement("bq query 'SELECT 1'"), GuardVerdict::Allow);
    assert_eq!(judgement("bq ls dataset"), GuardVerdict::Allow);
}

#[test]
fn a_request_that_deletes_is_seen_however_its_method_is_written() {
    for command in [
        "gh api -X DELETE repos/a/b",
        "gh api -XDELETE repos/a/b",
        "gh api --method DELETE repos/a/b",
        "gh api --method=DELETE repos/a/b",
        "curl -X DELETE https://example.com/a",
        "curl -XDELETE https://example.com/a",
        "curl --request=DELETE https://example.com/a",
    ] {
        assert_eq!(judgement(command), GuardVerdict::Warn, "{command}");
    }
    assert_eq!(judgement("gh api repos/a/b"), GuardVerdict::Allow);
}

#[test]
fn programs_that_delete_as_rm_does_are_judged_as_it_is() {
    use GuardVerdict::{Allow, Block, Warn};
    for (command, expected) in [
        ("npx rimraf /", Block),
        ("rimraf ~", Block),
        ("pnpm dlx rimraf ~/work", Block),
        ("npx del-cli ~", Block),
        ("rm --rec --for ~", Block),
        ("fd -H . / -X rm -rf", Block),
        ("fd -e tmp . ~ -x rm -rf {}", Warn),
        ("fd . ~ -x rm -rf {}", Block),
        ("fd -e pyc -x rm", Allow),
        ("npx prisma db push --accept-data-loss", Warn),
        ("podman system reset -f", Block),
        ("firebase firestore:delete --all-collections -f", Block),
        ("s3cmd del --recursive s3://b", Block),
        ("az storage blob delete-batch -s c", Block),
        ("node -e \"require('fs').rmSync(process.env.HOME,{recursive:true})\"", Block),
        ("python3 -c \"import shutil,os; shutil.rmtree(os.environ['HOME'])\"", Block),
        ("python3 -c \"import shutil,os; shutil.rmtree(os.getenv('HOME'))\"", Block),
        ("perl -MFile::Path -e 'rmtree($ENV{HOME})'", Block),
        ("ruby -rfileutils -e 'FileUtils.rm_rf(ENV[\"HOME\"])'", Block),
        ("find . -type d -empty -delete", Allow),
        ("find . -delete", Block),
        ("find ~ ! -empty -delete", Block),
        ("find ~ -type d -not -empty -delete", Block),
        ("find ~ -type d -empty -o -delete", Block),
        ("git checkout main -- src/lib.rs", Allow),
        ("git restore --source main src/lib.rs", Allow),
        ("git restore src", Warn),
        ("git restore src/", Warn),
        ("git checkout -- src", Warn),
        ("git checkout HEAD -- src", Warn),
        ("git restore --staged src", Allow),
        ("git restore src/main.rs Makefile", Allow),
        ("git checkout feature", Allow),
        ("git checkout -b fix-login origin/main", Allow),
        ("git checkout -- Cargo.lock", Allow),
        ("git checkout-index -af", Warn),
        ("git read-tree -u --reset HEAD", Warn),
        ("npx rimraf dist", Allow),
        ("rimraf node_modules", Allow),
        ("fd -e rs -x rustfmt", Allow),
        ("rm --verbose notes.txt", Allow),
    ] {
        assert_eq!(judgement(command), expected, "{command}");
    }
}

#[test]
fn the_safe_form_of_a_push_passes_whatever_went_wrong_before() {
    let before = [past(DangerClass::ForcePush, "git push --force")];
    let safe = "git push --force-with-lease origin feature";
    assert_eq!(decide(safe, &GROUND, &before, &[]).judgement, GuardVerdict::Allow);
    let unsafe_form = decide("git push --force", &GROUND, &before, &[]);
    assert!(unsafe_form.reason.contains("--force-with-lease"), "{}", unsafe_form.reason);
    // A lease protects nothing beside a plain force.
    for command in ["git push --force-with-lease --force", "git push --force-with-lease origin +main"] {
        assert_eq!(judgement(command), GuardVerdict::Block, "{command}");
    }
}

#[test]
fn after_an_incident_the_safe_form_is_recommended_and_allowed() {
    for (command, safe) in [
        ("git push --force", "git push --force-with-lease"),
        ("git push -fu origin feature", "git push --force-with-lease -u origin feature"),
        ("git push origin +feature", "git push --force-with-lease origin feature"),
        ("git -C api push -f", "git -C api push --force-with-lease"),
        ("git reset --hard", "git stash push --include-untracked"),
        ("git reset --hard HEAD~2", "git reset --keep HEAD~2"),
        ("git checkout .", "git stash push"),
        ("git clean -fdx", "git clean -ndx"),
        ("git branch -D old", "git branch -d old"),
        ("rm -rf 'my notes' src", "mv 'my notes' src /tmp"),
        ("find . -name '*.db' -delete", "find . -name '*.db' -print"),
        ("terraform destroy -auto-approve", "terraform plan -destroy"),
        ("kubectl delete namespace shop", "kubectl delete namespace shop --dry-run=server"),
        ("rsync -a --delete a/ b/", "rsync -a --delete a/ b/ --dry-run"),
    ] {
        let danger = dangers(command, &GROUND).remove(0);
        let before = [past(danger.class, &danger.shape)];
        let decision = decide(command, &GROUND, &before, &[]);
        assert_eq!(decision.instead.as_deref(), Some(safe), "{command}");
        assert!(decision.reason.ends_with(&format!("; use `{safe}` instead")), "{}", decision.reason);
        assert_eq!(decide(safe, &GROUND, &before, &[]).judgement, GuardVerdict::Allow, "{safe}");
    }
}

#[test]
fn a_form_that_is_not_safe_is_not_recommended() {
    for command in
        ["rm -rf ~", "rm -rf .", "rm -rf $X", "git push --mirror", "ssh host 'git push -f'", "mkfs /dev/sda1"]
    {
        assert_eq!(decide(command, &GROUND, &[], &[]).instead, None, "{command}");
    }
}

#[test]
fn a_blocked_flag_does_not_block_its_safe_form() {
    let pattern = BlockedPattern {
        name: "blocked/a.md".to_owned(),
        pattern: "git push --force".to_owned(),
        warns: false,
        reason: "overwrites".to_owned(),
    };
    let of = |command| decide(command, &GROUND, &[], std::slice::from_ref(&pattern)).judgement;
    assert_eq!(of("git push --force-with-lease origin main"), GuardVerdict::Allow);
    assert_eq!(of("git push --force origin main"), GuardVerdict::Block);
}

/// Files of a machine on which the first folders are repositories, and the second have manifests.
#[derive(Debug)]
struct Projects(&'static [&'static str], &'static [&'static str]);

impl FileLookup for Projects {
    fn resolved(&self, _: &str, _: bool) -> Option<String> {
        None
    }

    fn is_repository(&self, path: &str) -> bool {
        self.0.contains(&path)
    }

    fn is_project(&self, path: &str) -> bool {
        self.is_repository(path) || self.1.contains(&path)
    }
}

#[test]
fn whole_projects_and_homes_are_no_paths_like_any_other() {
    let files = Projects(&["/home/ada/shop", "/home/ada/build", "/tmp/job/repo"], &[]);
    let of = |cwd: &str, command: &str| {
        let path_context = PathContext { files: Some(&files), ..PathContext::new(cwd, "/home/ada") };
        let decision = decide(command, &path_context, &[], &[]);
        (decision.judgement, decision.reason)
    };
    for (cwd, command, place) in [
        ("/home/ada/shop", "rm -rf .", "the whole working folder"),
        ("/home/ada/shop", "rm -rf ./*", "the whole working folder"),
        ("/home/ada/shop", "rm -rf $PWD", "the whole working folder"),
        ("/home/ada/shop/api", "rm -rf ..", "a whole project"),
        ("/home/ada/shop/api", "rm -rf /home/ada/shop", "a whole project"),
        ("/home/ada/shop/api", "cd .. && rm -rf *", "a whole project"),
        ("/home/ada", "rm -rf shop", "a whole project"),
        ("/home/ada/shop", "rm -rf ~/build", "a whole project"),
        ("/home/ada/shop", "rm -rf ~", "the home folder"),
        ("/home/ada/shop", "rm -rf ~/*", "the home folder"),
        ("/home/ada/shop", "rm -rf \"$HOME\"/", "the home folder"),
        ("/home/ada", "rm -rf .", "the home folder"),
        ("/tmp/job/repo", "rm -rf .", "the whole working folder"),
    ] {
        let (judgement, reason) = of(cwd, command);
        assert_eq!(judgement, GuardVerdict::Block, "{cwd}: {command}: {reason}");
        assert!(reason.ends_with(place), "{cwd}: {command}: {reason}");
    }
    for (cwd, command) in [
        ("/home/ada/shop", "rm -rf build target/debug"),
        ("/home/ada/shop", "rm -rf /tmp/job/repo"),
        ("/tmp/scratch", "rm -rf ./*"),
        ("/tmp/job/repo", "rm -rf node_modules"),
    ] {
        assert_eq!(of(cwd, command).0, GuardVerdict::Allow, "{cwd}: {command}");
    }
}

#[test]
fn a_project_whose_folder_is_named_as_build_output_is_a_project() {
    let files = Projects(
        &["/home/ada/src/build", "/home/ada/shop", "/home/ada/shop/tmp"],
        &[
            "/home/ada/src/dist",
            "/home/ada/src/notes",
            "/home/ada/shop/dist",
            "/home/ada/shop/web",
            "/home/ada/shop/web/out",
        ],
    );
    let of = |cwd: &str, command: &str| {
        let path_context = PathContext { files: Some(&files), ..PathContext::new(cwd, "/home/ada") };
        decide(command, &path_context, &[], &[]).judgement
    };
    for (cwd, command, expected) in [
        ("/home/ada/src", "rm -rf build", GuardVerdict::Block),
        ("/home/ada/src", "rm -rf build/*", GuardVerdict::Block),
        ("/home/ada/src", "rm -rf dist", GuardVerdict::Block),
        ("/home/ada/src", "rm -rf notes", GuardVerdict::Block),
        ("/home/ada/src", "rm -rf build/api", GuardVerdict::Warn),
        ("/home/ada/src", "rm -rf build/target", GuardVerdict::Allow),
        ("/home/ada/src", "rm -rf out", GuardVerdict::Allow),
        ("/home/ada/shop", "rm -rf tmp", GuardVerdict::Block),
        ("/home/ada/shop", "rm -rf dist web/out", GuardVerdict::Allow),
        ("/home/ada/shop", "rm -rf web", GuardVerdict::Warn),
        ("/home/ada/shop/web", "rm -rf out", GuardVerdict::Allow),
    ] {
        assert_eq!(of(cwd, command), expected, "{cwd}: {command}");
    }
}

#[test]
fn a_home_below_a_temporary_folder_is_a_home_all_the_same() {
    let path_context = PathContext::new("/tmp/box/work", "/tmp/box/home");
    let of = |command: &str| decide(command, &path_context, &[], &[]).judgement;
    assert_eq!(of("rm -rf ~"), GuardVerdict::Block);
    assert_eq!(of("rm -rf ~/projects/shop"), GuardVerdict::Block);
    assert_eq!(of("rm -rf /tmp/box/other"), GuardVerdict::Allow);
}

#[test]
fn what_grows_without_end_is_confirmed_about() {
    let mut functions = "f0() { rm -r src; }\n".to_owned();
    (1..40).for_each(|number| {
        let before = number - 1;
        functions += &format!("f{number}() {{ f{before}; f{before}; f{before}; }}\n");
    });
    for text in [functions + "f39", "a=x\n".to_owned() + &"a=$a$a$a$a\n".repeat(40) + "$a -rf src"] {
        assert_ne!(judgement(&text), GuardVerdict::Allow);
    }
}

#[test]
fn a_blocked_pattern_counts_where_it_runs_and_not_where_it_is_shown() {
    let pattern = |warns| BlockedPattern {
        name: "blocked/a.md".to_owned(),
        pattern: "make deploy".to_owned(),
        warns,
        reason: "use the pipeline".to_owned(),
    };
    assert_eq!(decide("cd x && make deploy", &GROUND, &[], &[pattern(false)]).judgement, GuardVerdict::Block);
    assert_eq!(decide("make deploy", &GROUND, &[], &[pattern(true)]).judgement, GuardVerdict::Warn);
    assert_eq!(decide("echo 'make deploy'", &GROUND, &[], &[pattern(false)]).judgement, GuardVerdict::Allow);
}

#[test]
fn the_reason_says_what_is_lost() {
    let decision = decide("rm -rf ~", &GROUND, &[], &[]);
    assert_eq!(decision.reason, "this deletes ~ and everything in it: the home folder");
}

proptest! {
    #[test]
    fn any_command_is_judged_without_panic(text in "\\PC{0,160}") {
        let _ = judgement(&text);
    }

    #[test]
    fn any_heap_of_dangerous_words_is_judged_without_panic(words in prop::collection::vec(prop::sample::select(vec![
        "rm", "-rf", "/", "~", "*", "$X", "${Y", "$(", ")", "'", "\"", "|", "&&", "git",
        "push", "--force", "psql", "-c", "DROP TABLE a", ">", "/dev/sda",
        "<<E", "\n", "E", "find", "-exec", ";", "xargs",
        "X=rm", "X+=$X", "alias", "f()", "f", "set", "--", "$@", "{a,b}", "{1..9}", "eval", "base64", "-d", "printf", "%s",
        "for", "in", "do", "done", "curl", "@.env", ">>", "~/.bashrc", "<(", "<<<", "case", "esac", "((", "))",
        "ssh", "host", "bash", "-c", "docker", "exec", "`", "\\", "{", "}", "cd", "..", "C:\\", "%TEMP%",
    ]), 0..24)) {
        let _ = judgement(&words.join(" "));
    }

    #[test]
    fn what_is_quoted_for_echo_is_never_blocked(text in "[^'\u{0}]{0,80}") {
        prop_assert_eq!(judgement(&format!("echo '{text}'")), GuardVerdict::Allow);
    }

    #[test]
    fn a_comment_is_never_blocked(text in "[^\n\r]{0,80}") {
        prop_assert_eq!(judgement(&format!("# {text}")), GuardVerdict::Allow);
    }
}

#[test]
fn every_class_is_written_by_its_name() {
    for class in DangerClass::ALL {
        assert_eq!(serde_json::to_string(&class).unwrap(), format!("\"{}\"", class.name()));
        assert_eq!(DangerClass::of(class.name()), Some(class));
    }
}
