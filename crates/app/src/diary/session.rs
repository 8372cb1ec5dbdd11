//! A session as it is learned from: read from its log, without secrets, with what rules and, where there is one, a model make
//! of it.

use std::path::PathBuf;

use crate::error::{Error, Kind, Result};
use crate::logs::{self, Told};
use crate::memory::Memory;
use crate::provider::{Asker, Trouble};
use crate::secrets;
use crate::sessions::reads;
use crate::sessions::sources::sources;
use crate::sessions::whole::GONE;
use cm_agents::ingest::Source;
use cm_index::sessions::Session;
use cm_learn::diary::{self, Diary, Made, Voice};
use cm_learn::outcome::steps::{Step, steps};
use cm_learn::prose::cut;
use cm_learn::reflect::answer::{DiaryAnswer, Point, diary_schema};
use cm_learn::reflect::check::{self, Quotable, Refused};
use cm_learn::reflect::package;
use cm_secrets::Rules;
use cm_session::Meta;
use cm_session::event::Event;

/// The longest reason why a model's answer was of no use, in characters.
const WHY: usize = 200;

/// A session, read.
pub struct Heard {
    /// What is known of it.
    pub meta: Meta,
    /// What happened, without secrets.
    pub events: Vec<Event>,
    /// Its commands and edits with what came of them.
    pub steps: Vec<Step>,
    /// Its diary by rules alone.
    pub diary: Diary,
    /// Whose words its prompts are.
    prompts: Voice,
}

/// Reads sessions from logs; of a log that tells several, once for those that follow each other.
pub struct Reader {
    /// What is taken out.
    pub rules: Rules,
    home: Option<PathBuf>,
    found: Vec<Source>,
    last: Option<(PathBuf, Vec<Told>)>,
}

impl Reader {
    /// A reader of the logs that lie here now.
    ///
    /// # Errors
    /// Patterns of secrets that are none.
    pub fn open(memory: &Memory) -> Result<Self> {
        let rules = secrets::rules_of_logs(memory, memory.target())?.0;
        let found = sources(memory, None).map(|sources| sources.find(&[]).sources).unwrap_or_default();
        Ok(Self { rules, home: memory.call.home.clone(), found, last: None })
    }

    /// Reads a session anew from its log, for `model` where one is given its text, and writes down that it was read.
    ///
    /// # Errors
    /// Where the log is gone, cannot be read, or no longer tells of it.
    pub fn read(&mut self, memory: &Memory, session: &Session, model: Option<String>) -> Result<Heard> {
        let gone = || {
            Error::new(Kind::NotFound, GONE, "its log is gone, or tells no more of it")
                .hint("`cm sessions show` still tells what was read before")
        };
        let path = session.log.as_deref().unwrap_or_default();
        let of =
            |source: &Source| source.agent == session.meta.agent && source.path.to_string_lossy() == path;
        let known = self.found.iter().find(|source| of(source)).cloned();
        let sources = sources(memory, session.meta.workspace.as_deref()).ok_or_else(gone)?;
        let elsewhere = || sources.find(&[]).sources.into_iter().find(of);
        let source = known.or_else(elsewhere).ok_or_else(gone)?;
        if self.last.as_ref().is_none_or(|(last, _)| *last != source.path) {
            self.last = Some((source.path.clone(), logs::of_source(&source)?));
        }
        let told = self.last.iter_mut().flat_map(|(_, told)| told);
        let told = told.into_iter().find(|told| told.meta.id == session.meta.id && !told.meta.ours);
        let told = told.filter(|told| sources.allow(&source, &told.meta)).ok_or_else(gone)?;
        let told = Told {
            meta: told.meta.clone(),
            events: std::mem::take(&mut told.events),
            path: told.path.clone(),
        };
        let read = reads::Read {
            sessions: vec![told.meta.id.clone()],
            bytes: told.bytes(),
            model,
            ..reads::Read::of_log(told.meta.agent, told.path.to_string_lossy().into_owned())
        };
        reads::record(memory, vec![read]);
        let prompts =
            if sources.is_of_person(memory.target(), &source) { Voice::Person } else { Voice::Sender };
        Ok(self.heard(told, prompts))
    }

    fn heard(&self, told: Told, prompts: Voice) -> Heard {
        // By its place below the home folder, so that it is the same on every machine, and without the folder's name.
        let home = self.home.as_deref();
        let path = home.and_then(|home| told.path.strip_prefix(home).ok()).unwrap_or(&told.path);
        let path = path.to_string_lossy().into_owned();
        let Told { meta, events, .. } = told.redacted(&self.rules);
        let mut content = meta.id.as_str().as_bytes().to_vec();
        events.iter().filter_map(|event| event.kind.text()).for_each(|text| content.extend(text.as_bytes()));
        let diary = diary::extract(&diary::id(&path, &content), &meta, &events, &[]);
        let mut diary = without_secrets(diary, &self.rules);
        if prompts == Voice::Sender {
            diary = diary.of_sender();
        }
        Heard { steps: steps(&events), meta, events, diary, prompts }
    }
}

impl Heard {
    /// What of it may be quoted.
    pub fn quotable(&self) -> Quotable {
        Quotable::of(self.meta.id.as_str(), self.meta.agent.name(), &self.events, self.prompts)
    }

    /// The diary as a model writes it, with what was refused of it; the one by rules where the model's is of no use.
    ///
    /// # Errors
    /// Where the model cannot be asked, or does not answer.
    pub fn summed_up(
        &self,
        asker: &Asker,
        rules: &Rules,
    ) -> std::result::Result<(Diary, Vec<Refused>), Trouble> {
        let quotable = self.quotable();
        let taken = |answer: &DiaryAnswer| check::diary(&self.diary, answer, "", &quotable);
        let founded = |answer: &DiaryAnswer| {
            let (_, refused) = taken(answer);
            let all = points(answer).count();
            if all > 0 && refused.len() == all {
                return Err(refused.iter().map(ToString::to_string).collect());
            }
            Ok(())
        };
        match asker.ask(&package::diary(&self.events), ("diary", diary_schema()), founded) {
            Ok(answered) => {
                let model = if answered.model.is_empty() { asker.name() } else { answered.model };
                let (diary, refused) = check::diary(&self.diary, &answered.value, &model, &quotable);
                Ok((without_secrets(diary, rules), refused))
            }
            Err(Trouble::Useless(why)) => {
                let made = Made::Instead(cut(&why, WHY));
                Ok((without_secrets(Diary { made, ..self.diary.clone() }, rules), Vec::new()))
            }
            Err(silent) => Err(silent),
        }
    }
}

fn points(answer: &DiaryAnswer) -> impl Iterator<Item = &Point> {
    let DiaryAnswer { accomplishments, decisions, challenges, preferences, key_learnings, .. } = answer;
    [accomplishments, decisions, challenges, preferences, key_learnings].into_iter().flatten()
}

/// What was put together of several places may look like a secret only now.
fn without_secrets(diary: Diary, rules: &Rules) -> Diary {
    diary.each_text(|said| logs::text(said, rules))
}
