//! Suspicious phrases by language: English, German, French, Spanish, Portuguese, Italian, Dutch,
//! Polish, Russian, Ukrainian, Turkish, Chinese, Japanese, Korean, Arabic and Hindi. They are
//! matched against lower-case text without accents.

use std::sync::LazyLock;

use regex_automata::meta;
use regex_automata::nfa::thompson::WhichCaptures;
use regex_automata::util::syntax;

/// Phrases that override instructions, give the reader another role, or hide from the person.
const STEERING_PHRASES: &[&str] = &[
    // Override.
    r"\b(ignore|disregard|forget|override|bypass|discard|drop)\b.{0,30}\b(previous|prior|above|earlier|preceding|existing|system|safety|your|these|those|all)\b.{0,30}\b(instructions?|rules?|prompts?|guidelines?|directives?|guardrails?|constraints?|policies|policy)\b",
    r"ignore the above|ignore all previous|disregard (all )?previous|forget your instructions",
    r"\b(new|updated|real|actual) (system )?(instructions?|directives?) ?:",
    r"\b(ignoriere|vergiss|missachte|ubergehe)\b.{0,40}(anweisung|regel|vorgabe|instruktion)",
    r"\b(ignore[zr]?|oublie[zr]?|negligez|contourne[zr]?)\b.{0,40}(instruction|consigne|regle|directive)",
    r"\b(ignora[r]?|olvida[r]?|descarta|omite|esquece|esqueca|ignore|desconsidere|dimentica)\b.{0,40}(instruccion|instrucoes|istruzioni|regla|regra|regole|indicacion|directri|ordenes)",
    r"\b(negeer|vergeet)\b.{0,40}(instructie|regel|aanwijzing)",
    r"\b(zignoruj|ignoruj|zapomnij)\b.{0,40}(instrukcj|polecen|zasad|regul)",
    r"(игнорируи|игнорируй|забудь|пропусти|не обращаи внимания|не обращай внимания|ігноруи|ігноруй).{0,50}(инструкц|правил|указани|інструкц)",
    r"(onceki|tum|butun|yukaridaki).{0,30}(talimat|kural|yonerge).{0,30}(yok say|gormezden gel|unut)",
    r"(忽略|无视|無視|忘记|忘記|不要理会|绕过).{0,20}(指令|指示|规则|規則|要求|提示)",
    r"(指示|命令|規則|ルール|ルール|プロンプト|フロンフト).{0,20}(無視|忘れ)",
    r"(지시|명령|규칙|프롬프트).{0,20}(무시|잊)",
    r"(تجاهل|انس|اهمل).{0,30}(التعليمات|تعليمات|القواعد|الاوامر)",
    r"(निर्देश|नियम|नरदश|नयम).{0,30}(अनदेखा|नजरअंदाज|भूल|अनदख|भल)",
    // Another role.
    r"\byou are now\b|\bsystem prompt\b|\bdeveloper mode\b|\bjailbreak|</?(system|assistant)>|\[/?inst\]|<\|im_start\|>",
    r"^(system|assistant|developer) ?:",
    r"系统提示|系統提示|システムプロンプト|システムフロンフト|시스템 프롬프트|системныи промпт|системный промпт",
    // Hide from the person.
    r"\b(do not|don't|dont|never|without|not to|avoid|must not|should not)\b.{0,25}\b(tell|telling|mention|mentioning|inform|informing|reveal|revealing|show|showing|notify|notifying|report|reporting|disclose|disclosing|alert|alerting|ask|asking|let)\b.{0,25}\b(user|users|human|humans|person|people|developer|developers|maintainer|operator|anyone|anybody|them|owner|reviewer)\b",
    r"\b(silently|secretly|quietly|covertly|discreetly)\b.{0,40}\b(send|run|execute|upload|post|add|include|install|fetch|append|push|copy|commit|delete|forward)\b|\b(send|run|execute|upload|post|add|include|install|fetch|append|push|copy|commit|delete|forward)\b.{0,60}\b(silently|secretly|covertly|discreetly)\b",
    r"\b(hide|conceal|keep)\b.{0,40}\b(from|secret)\b.{0,20}\b(user|human|person|developer|reviewer|maintainer|owner)\b",
    r"(sag|erzahl|verrate|teile|informier|erwahn|zeig).{0,30}(nutzer|benutzer|anwender|user|niemand|menschen).{0,30}(nicht|nichts|davon)|ohne (den|die|dem|es) (nutzer|benutzer|anwender)",
    r"(ne|n').{0,30}(dis|dites|mentionne|informe|revele|montre|previen|signale)[a-z]*.{0,20}(pas|jamais|rien).{0,30}(utilisateur|personne|humain|developpeur)|sans (en )?(informer|prevenir|avertir|le dire)",
    r"\b(no|nunca|sin|nao|sem|senza|non)\b.{0,20}\b(digas|mencion[a-z]+|inform[a-z]+|revel[a-z]+|muestres|avis[a-z]+|diga|conte|avvis[a-z]+|dire|dirlo|rivelar[a-z]*|dec[a-z]+)\b.{0,25}(usuario|usuaria|utente|nadie|ninguem|nessuno|utilizador)",
    r"\b(vertel|zeg|meld|toon)\b.{0,25}(gebruiker|niemand).{0,20}(niet|niets)|zonder de gebruiker",
    r"(nie mow|nie informuj|nie wspominaj|nie pokazuj|bez wiedzy).{0,25}(uzytkownik|nikomu)",
    r"(не говори|не сообщаи|не сообщай|не упоминаи|не упоминай|не показываи|не показывай|скрои|скрой|без ведома|не кажи|не повідомляи|не повідомляй).{0,30}(пользовател|никому|человек|користувач)",
    r"(kullanici).{0,25}(soyleme|bildirme|gosterme|haber verme|bahsetme)",
    r"(不要|别|別|勿|请勿|不得|切勿).{0,6}(告诉|告訴|告知|通知|提及|透露|让|讓|向).{0,10}(用户|用戶|任何人|人类|使用者|开发者)",
    r"(ユーザー|ユーサー|利用者|人間|誰).{0,12}(言わない|知らせない|伝えない|知らせす|報告しない|見せない|に言わず|に伝えず|知らせず)",
    r"(사용자|유저|아무에게).{0,12}(말하지|알리지|언급하지|보여주지)",
    r"لا (تخبر|تذكر|تكشف|تعلم|تظهر).{0,25}(المستخدم|احد|احدا)",
    r"(उपयोगकर्ता|उपयगकरत|यूजर|यजर|किसी|कस).{0,20}(मत बता|न बता)",
];

/// Phrases that send secrets away, download and run code, or disable protections.
const PAYLOAD_PHRASES: &[&str] = &[
    // Send secrets, or whatever it is, somewhere.
    r"\b(send|post|upload|forward|exfiltrate|e-?mail|transmit|submit|leak|share|paste|publish|report|pipe|copy|put|attach|include|append|write|print|echo|output|dump|log|commit|base64|encode)\b.{0,80}\b((api|ssh|access|private|secret|signing|deploy|gpg|aws|cloud)[ -]?(key|keys|token|tokens)|tokens?|secrets?|credentials?|passwords?|passphrase|cookies?|env(ironment)? (vars?|variables?|file)|\.env|id_?rsa|idrsa|\.ssh|\.aws|\.netrc|\.npmrc|keychain|wallet|seed phrase|conversation|chat history|transcript|source code)",
    r"\b(send|post|upload|forward|exfiltrate|transmit|e-?mail|submit|report|pipe|ping|call home|beacon|mirror|push|sync)\b.{0,80}(https?://|ftp://|\b[a-z0-9.+-]+@[a-z0-9-]+\.[a-z]|\b[0-9]{1,3}(\.[0-9]{1,3}){3}\b|\bwebhook|\bpastebin|\bngrok|\bdns (query|lookup))",
    r"\bcurl\b.{0,80}(-d|--data|-f |-t |--upload-file|-x post).{0,80}(env|key|token|secret|passwd|\.ssh|@)",
    r"/etc/(passwd|shadow)|\bprintenv\b|\benv ?\|",
    r"(sende|schicke|lade|ubertrage|poste|leite|kopiere)n?\b.{0,80}(schlussel|passwort|passworter|geheimnis|zugangsdaten|token|umgebungsvariable|https?://|\.env|quelltext)",
    r"(envo(ie|yer|yez)|transme[a-z]+|televers[a-z]+|poste[rz]?|publie[rz]?|copie[rz]?)\b.{0,80}(cle|cles|mot de passe|mots de passe|secret|jeton|identifiant|https?://|\.env|variables? d'environnement)",
    r"(envia[r]?|envie|manda[r]?|sube|subir|publica|carrega|transmit[a-z]+|invia|inviare|carica|spedisci|copia)\b.{0,80}(clave|contrasena|secreto|credencial|token|senha|segredo|chave|chiav|segret|credenzial|https?://|\.env|variables? de entorno)",
    r"(stuur|verstuur|verzend|upload)\b.{0,80}(sleutel|wachtwoord|geheim|token|https?://|\.env)",
    r"(wyslij|przeslij|wyslac|opublikuj)\b.{0,80}(klucz|haslo|hasla|sekret|token|https?://|\.env)",
    r"(отправ|перешли|загрузи|скопируи|скопируй|выложи|надішли|відправ).{0,80}(ключ|парол|секрет|токен|https?://|\.env|переменн)",
    r"(anahtar|sifre|parola|token|gizli|\.env|https?://).{0,80}(gonder|yukle|kopyala|yolla)",
    r"(发送|發送|上传|上傳|提交|发到|转发|轉發|贴到|泄露|发布|复制).{0,40}(密钥|密鑰|密码|密碼|令牌|凭证|凭据|环境变量|https?://|\.env|源代码)|(密钥|密鑰|密码|密碼|令牌|凭证|凭据|环境变量|\.env|源代码).{0,40}(发送|發送|上传|上傳|提交|发到|转发|轉發|贴到|发布)",
    r"(キー|キ一|鍵|ハスワート|パスワード|トークン|シークレット|認証情報|環境変数|https?://|\.env).{0,60}(送信|送って|送る|アッフロート|アップロード|投稿|転送|公開)",
    r"(키|비밀번호|암호|토큰|시크릿|자격 증명|환경 변수|https?://|\.env).{0,60}(전송|보내|업로드|게시|올려)",
    r"(ارسل|انشر|ارفع|انسخ).{0,80}(مفتاح|مفاتيح|كلمة المرور|كلمات المرور|السر|الرمز|https?://|\.env)",
    r"(कुंजी|कज|पासवर्ड|पसवरड|टोकन|टकन|https?://|\.env).{0,80}(भेज|भज|अपलोड|अपलड)",
    // Fetch and run.
    r"\b(curl|wget|iwr|invoke-webrequest|fetch)\b.{0,120}\| ?(sudo )?(ba|z|da|k|fi)?sh\b|\| ?(python3?|node|perl|ruby|iex)\b|\biex\b|\beval\b.{0,20}\$\(|base64 (-d|--decode|-D)|\bsh <\(|\bbash <\(|\bbash -c \x22?\$\(curl",
    r"\b(download|fetch|retrieve|pull|clone|get|visit|open|load|browse)\b.{0,80}(https?://|script|payload|gist|page|site|binary|installer).{0,60}\b(and|then|,|;|&&)\b.{0,20}\b(run|execute|follow|obey|apply|source|eval|install|do what)",
    r"\b(run|execute|install|eval|source|follow|obey)\b.{0,60}(https?://[a-km-z2-9]|from the (url|link|page|gist|issue|web)|instructions (at|from|in|on) )",
    r"(herunter|lade|hole).{0,60}(ausfuhr|fuhre|starte)|fuhre.{0,60}https?://",
    r"(telecharge|recupere)[a-z]*.{0,60}(execute|lance)[a-z]*|(execute|lance)[a-z]*.{0,60}https?://",
    r"(descarga|baixe|baixa|scarica)[a-z]*.{0,60}(ejecut|execut|esegu|roda|corre)[a-z]*|(ejecuta|execute|esegui)[a-z]*.{0,60}https?://",
    r"(download|haal).{0,60}(voer|uitvoer|draai)|voer.{0,60}https?://",
    r"(pobierz|sciagnij).{0,60}(uruchom|wykonaj)|(uruchom|wykonaj).{0,60}https?://",
    r"(скача|загрузи|завантаж).{0,60}(запусти|выполни|виконаи|виконай)|(запусти|выполни).{0,60}https?://",
    r"(indir).{0,60}(calistir)|https?://.{0,60}calistir",
    r"(下载|下載|获取).{0,40}(运行|執行|执行|運行|安装)|(运行|执行|執行).{0,40}https?://",
    r"(ダウンロード|タウンロート|取得).{0,40}(実行)|https?://.{0,60}実行",
    r"(다운로드|내려받).{0,40}(실행)|https?://.{0,60}실행",
    r"(حمل|نزل).{0,60}(شغل|نفذ)|(شغل|نفذ).{0,60}https?://",
    r"(डाउनलोड|डउनलड).{0,60}(चला|चल|निष्पादित)",
    // Lower the guard.
    r"dangerously-skip-permissions|\byolo\b|--no-verify|\brm -rf? (/|~|\$home|\*)|\bchmod (-r )?777|verify ?= ?false|strict-?ssl.{0,4}false|sslverify.{0,4}false|--insecure\b",
    r"\b(without|skip|skipping|no need to|don't|do not|never|avoid|instead of)\b.{0,20}\b(ask|asking|confirm|confirming|confirmation|approval|permission|review|reviewing|consent|warning|prompting)\b",
    r"\b(auto-?approve|pre-?approved|pre-?authori[sz]ed|always approve|approve (all|every|any)|grant (yourself|full|all)|you (have|are) (full |been )?(permission|authori[sz]ed|allowed|cleared)|trust (all|any|every))\b",
    r"\b(disable|deactivate|turn off|switch off|remove|bypass|skip|comment out|weaken)\b.{0,30}\b(auth|authentication|authori[sz]ation|certificate|cert|ssl|tls|signature|sandbox|guard|guardrail|firewall|2fa|mfa|audit|secret scan|security|safety|permission|permissions|review|validation|csrf|cors|branch protection|safeguards?)\b",
    r"\bforce[- ]push|\bpush --force\b|\bpush -f\b",
];

/// Phrases that address the reader as an agent or give it standing orders.
const ORDER_PHRASES: &[&str] = &[
    r"\b(you|agents?|assistants?|the ai|ais?|llms?|(language )?models?|bots?|copilot|claude|codex|gemini|chatgpt|cursor|readers?|whoever reads|anyone reading|anybody reading)\b,? (must|should|shall|will|need to|needs to|have to|has to|are to|is to|are required|is required|ought to|are expected|is expected|always|never|may now|can now|please)\b",
    r"^(hey|hi|dear|note to|attention|important|urgent|instructions?( for| to)|message (for|to)|memo (for|to))\b.{0,30}\b(you|agents?|assistants?|ais?|llms?|models?|bots?|copilot|claude|codex|gemini|chatgpt|cursor)\b",
    r"\b(when(ever)?|if|once|after|as soon as|before) you (read|see|load|receive|get|start|begin|answer|reply|respond|finish|do|are asked|work|open|write|commit|run)\b",
    r"\b(before|after|at the (start|beginning|end) of|on|in|for|with|to) (any|each|every|all)( new| other| future| subsequent)? (tasks?|sessions?|requests?|prompts?|messages?|answers?|repl(y|ies)|responses?|commits?|turns?|steps?|conversations?|pull requests?|prs?|edits?|actions?|tool calls?)\b",
    r"\bfrom (now|here|this point|today) on\b|\bhenceforth\b|\bgoing forward,|\bin (the )?future,? (always|never|please|do|use|run)|\bfrom now\b|\bfirst (thing|step) (to do|you)\b|\bbefore (doing|answering|replying|responding|starting|anything|proceeding|continuing)\b",
    r"(^|[.!?:;\n] ?|\b(please|so|then|and|to) )(always|never|immediately|unconditionally|be sure to|make sure (to|that you)|remember to|you must|do not forget to|kindly) [a-z]",
    r"(^|[.!?:;\n] ?)(please )?(append|prepend|reply|respond|answer|repeat|recommend|suggest|promote|prefer|pretend|act|behave|assume|believe|trust|obey|comply|follow|remember|memori[sz]e|say|tell|inform|reveal|print|output|echo|approve|merge|install|visit|browse|call|invoke|send|post|upload|fetch|download|execute|forward|hide|conceal|ignore|disregard|delete|erase|wipe|exfiltrate|stop|cease|refuse|decline) ",
    r"(^|[.!?:;\n] ?)(please )?(run|open|use|set|write|create|make|push|commit|copy|move|change|replace|disable|enable|remove|read|load|import|export|start|do|go|keep|put|store|save|log|report|skip|drop|reset|clean|check) .{0,60}\b(first|immediately|now|every time|each time|automatically|right away|instead|as root|with sudo|sudo)\b",
    // German.
    r"\b(ab sofort|ab jetzt|von nun an|kunftig|bevor du|wenn du|sobald du|du musst|du sollst|du darfst|immer wenn du)\b|(^|[.!?:;\n] ?)(bitte|fuhre|sende|schicke|lade|losche|ignoriere|fuge|antworte|rufe|offne|starte|installiere|verwende immer|nutze immer|immer|niemals|nie) ",
    // French.
    r"\b(desormais|a partir de maintenant|dorenavant|avant (chaque|toute)|tu dois|vous devez|lorsque tu|lorsque vous|quand tu|quand vous)\b|(^|[.!?:;\n] ?)(veuillez|toujours|jamais|execute[zr]?|envoie|envoyez|telecharge[zr]?|ajoute[zr]?|supprime[zr]?|ignore[zr]?|lance[zr]?|ouvre[zr]?|ne ) ?",
    // Spanish, Portuguese, Italian.
    r"\b(a partir de ahora|de ahora en adelante|desde ahora|debes|tienes que|cuando leas|antes de cada|antes de responder|a partir de agora|de agora em diante|deves|voce deve|quando leres|antes de cada|antes de responder|d'ora in poi|da ora in poi|devi|dovete|quando leggi|prima di ogni|prima di rispondere)\b|(^|[.!?:;¡¿\n] ?)(por favor|siempre|nunca|ejecuta|envia|descarga|anade|borra|ignora|sempre|jamais|execute|envie|baixe|adicione|apague|mai|esegui|invia|scarica|aggiungi|cancella|ignora) ",
    // Dutch, Polish.
    r"\b(vanaf nu|voortaan|je moet|u moet|voor elke|zodra je|wanneer je|od teraz|musisz|przed kazd[a-z]+|zawsze gdy)\b|(^|[.!?:;\n] ?)(altijd|nooit|voer|stuur|verwijder|voeg|zawsze|nigdy|uruchom|wyslij|pobierz|usun|dodaj|wykonaj|ignoruj) ",
    // Russian, Ukrainian.
    r"(с этого момента|отныне|впредь|ты должен|вы должны|перед кажд|когда прочита|прежде чем|відтепер|ти повинен|перед кожн)|(^|[.!?:;\n] ?)(всегда|никогда|выполни|запусти|отправь|скачаи|скачай|удали|добавь|игнорируи|игнорируй|пожалуиста|пожалуйста|завжди|ніколи|виконаи|виконай|надішли|видали) ?",
    // Turkish.
    r"(bundan sonra|artik her|her gorevden once|her oturum|mutlaka|asla|her zaman).{0,80}(calistir|gonder|ekle|sil|yukle|indir|yap|kullan|yaz)",
    // Chinese, Japanese, Korean.
    r"从现在开始|從現在開始|从现在起|今后|以后(每|请|都|务)|务必|務必|(你|您|助手|智能体|代理|模型)(必须|必須|应当|应该|需要|要)|每次.{0,20}(之前|前|都|后)|请(你)?(立即|立刻|先|始终|总是|运行|执行|发送|上传|下载|忽略|删除|添加|把|将)|(^|[。！？\n:：])(立即|始终|总是|永远|运行|执行|发送|上传|下载|忽略|删除|回复|不要|别|切勿)",
    r"今後(は)?|これから(は)?|必す|必ず|常に|(毎回|毎タスク|すへての|すべての).{0,20}(前に|たひに|たびに|後に)|(エーシェント|エージェント|アシスタント|あなた|ai)は.{0,40}(してくたさい|してください|しなけれは|しなければ|すること|せよ)|(して|送って|消して|無視して|実行して)(くたさい|ください)|(せよ|しなさい|しろ)([。\n]|$)",
    r"앞으로|지금부터|반드시|항상|절대|(매번|모든 작업).{0,20}(전에|마다|후에)|(하십시오|하세요|하라|해라|해줘|마세요|마십시오)",
    // Arabic, Hindi.
    r"(من الان فصاعدا|من الان|يجب عليك|يجب ان|قبل كل|دائما|ابدا)|(^|[.!؟:\n] ?)(نفذ|شغل|ارسل|احذف|حمل|تجاهل|اضف) ",
    r"(अब से|अब स|हमेशा|हमश|कभी नहीं|कभ नह|तुम्हें|आपको|तमह|आपक|हर कार्य|हर करय).{0,60}(चला|चल|भेज|भज|कर|जोड़|जड|हटा|हट)",
];

pub static STEERING: LazyLock<meta::Regex> = LazyLock::new(|| compiled(STEERING_PHRASES));
pub static PAYLOADS: LazyLock<meta::Regex> = LazyLock::new(|| compiled(PAYLOAD_PHRASES));
pub static ORDERS: LazyLock<meta::Regex> = LazyLock::new(|| compiled(ORDER_PHRASES));

/// A negation, and after it in the same clause a condition that asks for consent.
#[allow(clippy::expect_used, reason = "the phrase is constant, and tests compile it")]
pub static SAFE_CONDITION: LazyLock<regex::Regex> = LazyLock::new(|| {
    regex::Regex::new(
        r"(?P<negation>\b(?:never|do not|don't|dont|must not|not|(?:nothing|nobody|no one|no \w+)(?: may| must)? (?:(?:is|are|be|gets|get) (?:merged|pushed|deployed|released|committed|shipped)|lands|goes|reaches|ships|merges|pushes|deploys|commits|releases))\b)(?P<between>(?:[^.,;:!?\n]|[.:]\S){0,60}?)\bwithout (?:ask|asking|confirming|confirmation|approval|permission|consent|review|a review)\b",
    )
    .expect("the phrase is a constant that tests compile")
});
/// An order that forbids what lowers the guard: at the beginning of a clause a negation, then only words such as "use"
/// and "git", then the forbidden thing.
#[allow(clippy::expect_used, reason = "the phrase is constant, and tests compile it")]
pub static FORBIDDEN: LazyLock<regex::Regex> = LazyLock::new(|| {
    regex::Regex::new(
        r"(?m)(?P<order>(?:^|[.,;:!?] )(?:please |bitte |por favor )?(?:never|do not|don't|dont|must not|niemals|nie|nunca|jamais)(?: (?:ever|use|run|do|commit|push|with|git|a|an|the|any|hagas?|uses?|haz))*) (?:force[- ]push\w*|push (?:--force|-f)\b|--no-verify\b|rm -rf?\b|chmod (?:-r )?777\b|--insecure\b)",
    )
    .expect("the phrase is a constant that tests compile")
});
/// The command that a person refused, as a learned rule quotes it at its end.
#[allow(clippy::expect_used, reason = "the phrase is constant, and tests compile it")]
pub static REFUSED: LazyLock<regex::Regex> = LazyLock::new(|| {
    regex::Regex::new(r"\(refused: [^()\n]*\)").expect("the phrase is a constant that tests compile")
});
/// Verbs and conjunctions after which a negation does not forbid what follows.
pub const EVASIONS: [&str; 9] =
    ["hesitate", "wait", "stop", "fail", "mind", "worry", " if ", " when ", " because "];

/// Compiles phrases into one expression that matches if any of them does. Its groups capture nothing: with
/// captures, every thread would hold about 100 MB of match state. Phrases in ASCII are matched by byte, so that
/// their distances such as `.{0,80}` count bytes; this saves a third of the time to compile them.
#[allow(clippy::expect_used, reason = "the phrases are constants, and every test compiles them")]
fn compiled(phrases: &[&str]) -> meta::Regex {
    let group = |phrase: &&str| format!("(?{}:{phrase})", if phrase.is_ascii() { "-u" } else { "" });
    let phrases: Vec<String> = phrases.iter().map(group).collect();
    let config = meta::Config::new().which_captures(WhichCaptures::None).utf8_empty(false);
    meta::Regex::builder()
        .configure(config.nfa_size_limit(Some(64 << 20)))
        .syntax(syntax::Config::new().multi_line(true).utf8(false))
        .build(&phrases.join("|"))
        .expect("the phrases are constants that tests compile")
}
