//! Translates frequent words of software teams from German, Spanish, French and Chinese to English,
//! so that statements in two languages can be compared word by word.
//!
//! It is a glossary, not a translator: grammar is ignored, and other words stay as they are.

use std::collections::HashMap;
use std::sync::LazyLock;

use cm_text::language::Language;

/// Each row has an English word and its translations, in basic forms.
const GLOSSARY: &str = "\
access zugriff zugang acceso accès 访问 权限
account konto cuenta compte 账户 账号
add hinzufügen ergänzen añadir agregar ajouter 添加 增加
address adresse dirección adresse 地址
allow erlauben permitir permettre 允许
answer antwort antworten respuesta responder réponse répondre 回答 答复
application anwendung aplicación application 应用
approve genehmigen freigeben aprobar approuver 批准 审批
ask fragen preguntar demander 询问
backup sicherung datensicherung sicherungen respaldo copia copias sauvegarde 备份
branch zweig rama branche 分支
browser browser navegador navigateur 浏览器
build bauen construir compilar construire compilation 构建 编译
cache zwischenspeicher caché 缓存
call anrufen aufrufen llamar appeler 调用
change ändern änderung cambiar cambio modificar changer modifier changement modification 修改 更改 改 变更
check prüfen überprüfen comprobar revisar verificar vérifier contrôler 检查
clean aufräumen limpiar nettoyer 清理
close schließen zumachen cerrar fermer 关闭
cluster cluster clúster grappe 集群
code quelltext código 代码
column spalte columna colonne 列
comment kommentar kommentare comentario commentaire 注释
commit einchecken committen confirmar valider 提交
company firma unternehmen empresa entreprise 公司
configuration konfiguration einstellung configuración 配置 设置
connect verbinden verbunden conectar connecter 连接
connection verbindung conexión connexion 连接
container behälter contenedor conteneur 容器
copy kopieren kopie copiar copier 复制
customer kunde kunden kundin cliente client 客户 顾客
data daten datos dato données 数据
database datenbank datenbasis base 数据库
date datum fecha 日期
delete löschen entfernen borrar eliminar supprimer effacer 删除
department abteilung departamento département service 部门 部
dependency abhängigkeit dependencia dépendance 依赖
deploy ausrollen deployen bereitstellen ausliefern desplegar despliegue déployer déploiement 部署 上线
deployment bereitstellung despliegue déploiement
developer entwickler entwicklerin desarrollador développeur 开发者 开发人员
directly direkt directamente directement 直接
directory verzeichnis ordner directorio carpeta répertoire dossier 目录
disk festplatte platte disco disque 磁盘
document dokument documento 文档
documentation dokumentation documentación 文档
door tür puerta porte 门
edit bearbeiten editar éditer 编辑
email mail correo courriel 邮件
encrypt verschlüsseln cifrar chiffrer 加密
entry eintrag entrada entrée 条目
environment umgebung entorno environnement 环境
error fehler error erreur 错误
every jeder jede jedes jedem jeden cada todo chaque tout 每 所有
file datei dateien archivo fichero fichier 文件
finance finanzen finanz finanzas finance 财务
find finden encontrar trouver 找
first erst zuerst primero premier 先 首先
floor stock etage piso étage 楼
format formatieren formatear formater 格式
frontend frontend oberfläche 前端
backend backend 后端
function funktion función fonction 函数
generate erzeugen generieren generar générer 生成
goods ware waren mercancía marchandise 货
holiday urlaub vacaciones congé 休假
host hosten alojado alojar héberger 托管
image bild bilder imagen imágenes images 图片 图像 镜像
import importieren importar importer 导入
index index índice 索引
install installieren instalar installer 安装
invoice rechnung rechnungen factura facture 发票
job auftrag tarea tâche 任务 作业
keep behalten aufbewahren guardar mantener conservar garder 保留 保存
key schlüssel clave llave clé clef 密钥 钥匙
label beschriften etiqueta étiquette 标签
language sprache idioma langue 语言
library bibliothek librería biblioteca bibliothèque 库
license lizenz licencia licence 许可证
limit grenze limit límite limite 限制 上限
line zeile línea ligne 行
link verweis enlace lien 链接
list liste lista 列表
listen lauschen hören escuchar écouter 监听
log protokoll protokolle registro registros journal journaux 日志
login anmelden anmeldung iniciar connexion 登录
mail post correo
main haupt principal
manual handbuch manual manuel 手册
meeting besprechung reunión réunion réunions 会议
memory speicher memoria mémoire 内存
merge zusammenführen mergen fusionar fusionner fusionné fusionnée fusión 合并
message nachricht meldung mensaje 消息
migration migration migrationen migración migraciones migrations 迁移
model modell modelo modèle 模型
module modul módulo 模块
name benennen nombre nombrar nom nommer 名称 命名
network netzwerk netz red réseau 网络
new neu neue neuen nuevo nueva nouveau nouvelle 新
night nacht nachts noche nuit 晚上 夜间
node knoten nodo nœud 节点
number nummer zahl número nombre numéro 号码 数量
office büro oficina bureau 办公室
open öffnen abrir ouvrir 打开
order bestellung reihenfolge pedido orden commande ordre 订单 顺序
package paket pakete paquete paquet 包
page seite página 页面
password passwort passwörter kennwort kennwörter contraseña passe 密码
pay bezahlen zahlen pagar payer 付款 支付
payment zahlung bezahlung pago paiement 支付 付款
phone telefon anruf teléfono téléphone 电话
port port puerto 端口
price preis precio prix 价格
print drucken imprimir imprimer 打印
printer drucker impresora imprimante 打印机
product produkt producto produit 产品 商品
production produktion produktiv producción 生产环境 线上 生产
project projekt proyecto projet 项目
push pushen hochladen empujar pousser 推送
query abfrage consulta requête 查询
queue warteschlange cola file 队列
read lesen leer lire 读取 读
release veröffentlichen veröffentlichung version lanzamiento publicar publier 发布 版本
report bericht melden informe rapport 报告
repository ablage repositorio dépôt 仓库
request anfrage petición solicitud requête 请求
restart neustart neustarten reiniciar arrancar redémarrer redémarrage 重启
restore wiederherstellen restaurar restaurer 恢复
retry wiederholen reintentar réessayer 重试
return zurückgeben rückgabe devolver retourner 返回 退货
review überprüfung begutachten revisión revue relire 审查 评审
room raum zimmer sala salle 房间
rotate wechseln rotar 轮换
rule regel regla règle 规则
run laufen läuft ausführen starten ejecutar correr exécuter lancer tourner tourne 运行 执行
save speichern guardar sauvegarder enregistrer 保存
search suche suchen buscar búsqueda chercher recherche 搜索
secret geheimnis secreto secret 机密 密钥
send senden schicken verschicken enviar envoyer 发送 寄出 寄
server server servidor serveur 服务器
service dienst servicio 服务
session sitzung sesión 会话
share teilen compartir partager 共享
shop laden geschäft tienda magasin boutique 商店 店
sign unterschreiben signieren firmar signer 签名
size größe tamaño taille 大小 容量
small klein pequeño petit 小
squash zusammenfassen
start beginnen anfangen empezar iniciar comenzar commencer démarrer 启动 开始
stay bleiben quedar rester restent 保留
stock bestand existencias 库存
stop anhalten stoppen detener arrêter 停止
store lagern ablegen almacenar stocker 存储
style stil estilo style 风格
support unterstützen soportar
system system sistema système 系统
table tabelle tabla 表
team mannschaft gruppe equipo équipe 团队
test testen prueba pruebas probar essai tester 测试
text text texto texte 文本
tool werkzeug herramienta outil 工具
translate übersetzen traducir traduire 翻译
unit einheit unidad unité 单元
update aktualisieren actualizar mettre 更新
upload hochladen subir téléverser 上传
use benutzen verwenden nutzen usar utilizar utiliser 使用 用
user benutzer nutzer usuario utilisateur 用户
value wert valor valeur 值
variable variable variablen variables 变量
version fassung versión 版本
warehouse lager almacén entrepôt 仓库
warn warnen avisar advertir prévenir avertir avertie 提醒 警告
website webseite seite sitio site 网站
word wort wörter palabra mot 单词
work arbeit arbeiten trabajar trabajo travailler travail 工作
write schreiben geschrieben escribir écrire 写 编写
monday montag montags lunes lundi 周一 星期一
tuesday dienstag dienstags martes mardi 周二 星期二
wednesday mittwoch mittwochs miércoles mercredi 周三 星期三
thursday donnerstag donnerstags jueves jeudi 周四 星期四
friday freitag freitags viernes vendredi 周五 星期五
saturday samstag samstags sonnabend sábado samedi 周六 星期六
sunday sonntag sonntags domingo dimanche 周日 星期日
january januar enero janvier 一月
february februar febrero février 二月
march märz marzo mars 三月
june juni junio juin 六月
july juli julio juillet 七月
august august agosto août 八月
october oktober octubre octobre 十月
december dezember diciembre décembre 十二月
before vorher antes avant 之前
after nachher después après 之后
include enthalten inklusive incluir incluye inclure 包含 包括
pass bestehen pasar aprobar passer 通过
tax steuer mwst iva impuesto tva 税
wifi wlan wi-fi wifi
vat mwst iva tva
frankfurt fráncfort francfort 法兰克福
vienna wien viena vienne 维也纳
indent einrücken sangrar indenter 缩进
tab tabulator tabulación tabulation 制表符
space leerzeichen espacio espace 空格
comma komma coma virgule 逗号
quote anführungszeichen comilla guillemet 引号
english englisch inglés anglais 英文 英语
german deutsch alemán allemand 德语 德文
timeout zeitüberschreitung zeitlimit 超时
fast schnell rápido rapide 快
slow langsam lento lent 慢
manual manuell manuelle manuel 手动
automatic automatisch automático automatique 自动
enable einschalten aktivieren activar activer 启用 开启
disable ausschalten deaktivieren desactivar désactiver 禁用
coffee kaffee café 咖啡
machine maschine máquina 机";

/// Chinese words that structure a statement, with an English word of the same effect; an empty one
/// drops them.
const CHINESE_CUES: &[(&str, &str)] = &[
    ("not", "不 没 没有 无 未 别 勿 禁止 不要 不能 不得 不可 切勿 避免 严禁 不会 无需"),
    ("always", "必须 总是 一律 始终 都"),
    ("before", "之前 以前"),
    ("after", "之后 以后"),
    ("except", "除了 除非 例外"),
    ("only", "只 仅"),
    ("or", "或 或者"),
    ("", "的 了 在 是 把 被 要 里 着 和 与 于 由 应 会 我 们 我们 请 中 上 对 时 就 也 很 这 那 个"),
];

struct Glossary {
    exact: HashMap<&'static str, &'static str>,
    stems: HashMap<String, &'static str>,
}

static WORDS: LazyLock<Glossary> = LazyLock::new(|| {
    let (mut exact, mut stems) = (HashMap::new(), HashMap::new());
    for row in GLOSSARY.lines() {
        let mut words = row.split_whitespace();
        let Some(english) = words.next() else { continue };
        for word in words {
            exact.entry(word).or_insert(english);
            stems.entry(stem(word)).or_insert(english);
        }
    }
    for (english, words) in CHINESE_CUES {
        exact.extend(words.split_whitespace().map(|word| (word, *english)));
    }
    Glossary { exact, stems }
});

/// Returns a statement in another language with its known words in English; `None` for English.
pub(in crate::conflict) fn gloss(text: &str) -> Option<String> {
    let language = Language::of(text).filter(|language| *language != Language::English)?;
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = first.is_alphabetic();
        let is_chinese = is_ideograph(first);
        let same = |c: char| c.is_alphabetic() == is_word && is_ideograph(c) == is_chinese;
        let end = rest.find(|c: char| !same(c)).unwrap_or(rest.len());
        let (word, after) = rest.split_at(end);
        match (is_chinese, is_word) {
            (true, _) => chinese_words(word).iter().for_each(|word| {
                out.push(' ');
                out.push_str(WORDS.exact.get(word.as_str()).copied().unwrap_or(word));
            }),
            (_, true) => push_word(word, language, &mut out),
            _ => out.push_str(&word.replace('。', ". ").replace('，', ", ")),
        }
        if is_chinese {
            out.push(' ');
        }
        rest = after;
    }
    Some(out)
}

fn push_word(word: &str, language: Language, out: &mut String) {
    let lower = word.to_lowercase();
    let is_cased = word.chars().skip(1).any(char::is_uppercase);
    if is_cased || Language::is_function_word(&lower) {
        return out.push_str(word);
    }
    match english(&lower).as_slice() {
        // German writes all nouns with a capital letter, so that it tells nothing.
        [] if language == Language::German => out.push_str(&lower),
        [] => out.push_str(word),
        words => out.push_str(&words.join(" ")),
    }
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{4e00}'..='\u{9fff}')
}

/// Cuts an inflection off; at least four characters remain.
fn stem(word: &str) -> String {
    const ENDINGS: [&str; 22] = [
        "ungen", "iert", "ados", "adas", "ado", "ada", "ées", "ée", "és", "en", "es", "er", "em", "ar", "ir",
        "as", "os", "e", "n", "s", "a", "o",
    ];
    let length = word.chars().count();
    let ending =
        ENDINGS.iter().find(|ending| word.ends_with(*ending) && length >= 4 + ending.chars().count());
    ending.and_then(|ending| word.strip_suffix(ending)).unwrap_or(word).to_owned()
}

/// Returns the English words for a word in lower case; two for a compound. Empty if it is unknown.
fn english(word: &str) -> Vec<&'static str> {
    if let Some(known) = single(word) {
        return vec![known];
    }
    let cuts = word.char_indices().map(|(at, _)| at).filter(|at| *at >= 3 && at + 3 <= word.len());
    for at in cuts {
        let (head, tail) = word.split_at(at);
        let head = single(head)
            .or_else(|| single(head.strip_suffix('s')?))
            .or_else(|| single(head.strip_suffix('n')?));
        // The parts of a German compound; in other languages long words are no compounds.
        if let (Some(head), Some(tail)) = (head, single(tail))
            && word.chars().count() >= 8
        {
            return vec![head, tail];
        }
    }
    Vec::new()
}

fn single(word: &str) -> Option<&'static str> {
    let words = &*WORDS;
    words
        .exact
        .get(word)
        .copied()
        .or_else(|| (word.chars().count() >= 4).then(|| words.stems.get(&stem(word)).copied())?)
}

/// Splits Chinese text into the longest known words, and single characters.
fn chinese_words(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut words = Vec::new();
    let mut at = 0;
    while let Some(first) = chars.get(at) {
        let known = (1..=4).rev().find_map(|length| {
            let word: String = chars.get(at..at + length)?.iter().collect();
            WORDS.exact.contains_key(word.as_str()).then_some((word, length))
        });
        let (word, length) = known.unwrap_or_else(|| (first.to_string(), 1));
        words.push(word);
        at += length;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inflected_and_compound_words_are_translated() {
        assert_eq!(english("testdatenbank"), ["test", "database"]);
        assert_eq!(english("registros"), ["log"]);
        assert_eq!(english("rechnungen"), ["invoice"]);
        assert_eq!(english("dachstein"), Vec::<&str>::new());
        assert_eq!(chinese_words("日志服务器"), ["日志", "服务器"]);
    }
}
