//! Deterministic generator of texts in many scripts, with accidental characters.

/// Sentences to modify and mix.
const SENTENCES: [&str; 28] = [
    "The quick brown fox jumps over the lazy dog's back; it cost $3.50 (incl. VAT)!",
    "Prefer PostgreSQL 16 for storage, but don't use it as a message queue -- see RFC-1234.",
    "fn tokens<'a>(text: &'a str) -> Vec<u16> { text.split(' ').map(|w| w.len() as u16).collect() }",
    "SELECT id, \"name\" FROM users WHERE e-mail LIKE '%@example.org' /* slow */;",
    "https://example.org/a/b?c=d&e=%20f#g user_name@host:~/src$ cargo build --release 2>&1 | tee log.txt",
    "Größe, Straße und Übermut: „Fünf Äpfel“ – ẞ ist groß.",
    "İstanbul'da ılık bir gün; ISPARTA'nın gülü, ığdır'ın kayısısı.",
    "Ὀδυσσεύς, ΟΔΥΣΣΕΥΣ, και το ταχύ καφέ αλεπού· τί ἐστιν;",
    "Tiếng Việt có dấu: những người bạn cũ đã trở về Đà Nẵng ngày hôm qua.",
    "L’été dernier, Noël naïf: œuvre d’art, façade, garçon, ça coûte 5 €.",
    "Zażółć gęślą jaźń. Příliš žluťoučký kůň úpěl ďábelské ódy. Łódź, Đorđe.",
    "Съешь же ещё этих мягких французских булок, да выпей чаю. Їжак, Ґанок, ў.",
    "ภาษาไทยไม่มีการเว้นวรรคระหว่างคำ น้ำดื่ม กรุงเทพฯ",
    "اَلْعَرَبِيَّةُ لُغَةٌ جَمِيلَةٌ، أليس كذلك؟ ١٢٣ ـ پارسی",
    "שָׁלוֹם עוֹלָם! מה שלומך? ״צה״ל״ — כ׳",
    "हिन्दी में लिखा हुआ वाक्य। क़लम, ज़मीन; संस्कृतम् १२३",
    "বাংলা ভাষা, தமிழ் மொழி, తెలుగు, ಕನ್ನಡ, മലയാളം, ਪੰਜਾਬੀ, සිංහල",
    "日本語のテキスト。ガギグゲゴ ｶﾞｷﾞ 「引用」、１２３ＡＢＣ・ー",
    "中文没有空格，繁體字也一樣。混合English和中文123。",
    "한국어 문장입니다. 각각의 음절이 분해됩니다. 가각갂",
    "ქართული ენა, Հայերեն լեզու։ አማርኛ፡ ቋንቋ። ខ្មែរ ລາວ မြန်မာ བོད་ཡིག།",
    "👩‍👩‍👧‍👦 family 👍🏽 thumbs 🇩🇪 flag ❤️ 🦀 #️⃣ ✅ ©®™",
    "∀x∈ℝ: ⌈x⌉ = −⌊−x⌋, α ∧ ¬β → γ; ½ ² ³ ₂ ℵ ﬁ ﬀ Ⅷ ㎞ ﷺ 𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𝟘",
    "Ｆｕｌｌ ｗｉｄｔｈ！（ｔｅｘｔ）〜",
    "Pneumonoultramicroscopicsilicovolcanoconiosis antidisestablishmentarianism",
    "snake_case CamelCase kebab-case SCREAMING_SNAKE x86_64 i18n utf-8 C++ node.js E0502 v1.2.3-rc.1",
    "e\u{301}\u{323}\u{489} a\u{30A}o\u{308} \u{F900}\u{FA0E}\u{2F800} \u{1100}\u{1161}\u{11A8} \u{FB2C} \u{37E}\u{387}\u{1FEF}\u{2329}",
    "# Title\n\n- [x] done `code` **bold** [[Wiki Link|shown]]\r\n\r\n> quote\t|table|\n",
];

/// First and last characters of Unicode blocks to pick from.
const BLOCKS: [(u32, u32); 40] = [
    (0x00, 0x7F),
    (0x20, 0x7E),
    (0x80, 0xFF),
    (0x100, 0x24F),
    (0x250, 0x2FF),
    (0x300, 0x36F),
    (0x370, 0x3FF),
    (0x400, 0x52F),
    (0x530, 0x5FF),
    (0x600, 0x6FF),
    (0x700, 0x8FF),
    (0x900, 0x97F),
    (0x980, 0xDFF),
    (0xE00, 0xEFF),
    (0xF00, 0xFFF),
    (0x1000, 0x10FF),
    (0x1100, 0x11FF),
    (0x1200, 0x17FF),
    (0x1800, 0x1CFF),
    (0x1D00, 0x1DFF),
    (0x1E00, 0x1FFF),
    (0x2000, 0x206F),
    (0x2070, 0x20FF),
    (0x2100, 0x2BFF),
    (0x2C00, 0x2DFF),
    (0x2E00, 0x2FFF),
    (0x3000, 0x30FF),
    (0x3100, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xA000, 0xABFF),
    (0xAC00, 0xD7FF),
    (0xE000, 0xFAFF),
    (0xFB00, 0xFFFF),
    (0x1_0000, 0x1_1FFF),
    (0x1_2000, 0x1_6FFF),
    (0x1_D000, 0x1_DFFF),
    (0x1_E000, 0x1_EFFF),
    (0x1_F000, 0x1_FFFF),
    (0x2_0000, 0x3_FFFF),
    (0xE_0000, 0x10_FFFF),
];

/// Iterator over the generated texts.
pub struct Texts {
    state: u64,
    vocabulary: Vec<&'static str>,
}

impl Texts {
    pub fn new() -> Self {
        Self { state: 0x9E37_79B9_7F4A_7C15, vocabulary: cm_weights::VOCABULARY.lines().collect() }
    }

    /// Returns a pseudorandom number below a bound (xorshift).
    fn below(&mut self, bound: usize) -> usize {
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        ((self.state >> 33) as usize) % bound
    }

    fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    fn within(&mut self, (first, last): (u32, u32)) -> char {
        let number = first + self.below((last - first + 1) as usize) as u32;
        char::from_u32(number).unwrap_or('\u{FFFD}')
    }

    /// Returns random characters from one block, or from all.
    fn characters(&mut self) -> String {
        let block = self.one(&BLOCKS);
        let anywhere = self.below(4) == 0;
        let spaces = 2 + self.below(12);
        let count = 1 + self.below(60);
        let character = |texts: &mut Self| match texts.below(spaces) {
            0 => ' ',
            _ if anywhere => {
                let block = texts.one(&BLOCKS);
                texts.within(block)
            }
            _ => texts.within(block),
        };
        (0..count).map(|_| character(self)).collect()
    }

    /// Returns random words of the vocabulary, joined, in upper case or with accents.
    fn words(&mut self) -> String {
        let mut text = String::new();
        for _ in 0..1 + self.below(24) {
            let index = self.below(self.vocabulary.len());
            let word = self.vocabulary[index].trim_start_matches("##");
            match self.below(6) {
                0 => text.push_str(&word.to_uppercase()),
                1 => text.extend(word.chars().flat_map(|letter| [letter, '\u{301}'])),
                _ => text.push_str(word),
            }
            text.push_str(["", " ", " ", ", ", "-", "\u{A0}", "\u{2028}", "'"][self.below(8)]);
        }
        text
    }

    /// Returns a sentence with some characters replaced, doubled or removed.
    fn changed(&mut self) -> String {
        let sentence = self.one(&SENTENCES);
        let mut text = String::new();
        for character in sentence.chars() {
            match self.below(30) {
                0 => {}
                1 => text.extend([character, character]),
                2 => {
                    let block = self.one(&BLOCKS);
                    text.push(self.within(block));
                }
                3 => text.extend(character.to_uppercase()),
                _ => text.push(character),
            }
        }
        text
    }

    /// Returns a word of about the maximum length.
    fn long_word(&mut self) -> String {
        let length = 90 + self.below(20);
        let letters = self.one(&["abcdefgh", "äöüß", "日a", "e\u{301}", "жщ", "가a", "x"]);
        let letters: Vec<char> = letters.chars().collect();
        (0..length).map(|_| self.one(&letters)).collect()
    }
}

impl Iterator for Texts {
    type Item = String;

    fn next(&mut self) -> Option<String> {
        Some(match self.below(10) {
            0..3 => self.characters(),
            3..6 => self.words(),
            6..8 => self.changed(),
            8 => format!("{} {}", self.changed(), self.characters()),
            _ => format!("{} {}", self.long_word(), self.words()),
        })
    }
}
