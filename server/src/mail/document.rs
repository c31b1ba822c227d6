//! A mail as a document: its parts in order, which become plain text and HTML. Only the HTML has
//! title, preheader and the spelled address of the button, because the text's subject and the line
//! of the button say the same.

use garimpo_domain::brand::Brand;
use maud::{DOCTYPE, Markup, PreEscaped, html};

/// The shop that a mail is from.
#[derive(Clone, Copy)]
pub(crate) struct Site<'a> {
    /// The origin of links into the site.
    pub url: &'a str,
    pub brand: &'a Brand,
}

impl Site<'_> {
    /// The address of a page of the site.
    pub fn page(&self, path: &str) -> String {
        format!("{}{path}", self.url)
    }

    /// The company in one line. A payment request must state the creditor's name, address and CNPJ
    /// (CDC art. 42-A).
    fn company(&self) -> String {
        let Brand { legal_name, tax_id, address, .. } = self.brand;
        format!("{legal_name}, CNPJ {tax_id}, {address}")
    }
}

/// The parts of a mail, from its subject to its last paragraph.
pub(crate) struct Document {
    pub subject: String,
    /// One sentence that mail clients show beside the subject.
    preheader: String,
    title: String,
    parts: Vec<Part>,
}

enum Part {
    Paragraph(String),
    /// A value with its name; those in a row are one table.
    Fact(&'static str, String),
    /// A value to copy, with its name.
    Copyable(&'static str, String),
    /// The mail's one action.
    Button(&'static str, String),
    /// The address of the button, for readers whose button does not open.
    ButtonAddress(String),
    Link(String, String),
}

impl Document {
    pub fn new(subject: impl Into<String>, title: impl Into<String>, preheader: impl Into<String>) -> Self {
        Self { subject: subject.into(), title: title.into(), preheader: preheader.into(), parts: Vec::new() }
    }

    pub fn paragraph(self, text: impl Into<String>) -> Self {
        self.with(Part::Paragraph(text.into()))
    }

    pub fn fact(self, name: &'static str, value: impl Into<String>) -> Self {
        self.with(Part::Fact(name, value.into()))
    }

    pub fn copyable(self, name: &'static str, value: impl Into<String>) -> Self {
        self.with(Part::Copyable(name, value.into()))
    }

    pub fn button(self, label: &'static str, url: impl Into<String>) -> Self {
        self.with(Part::Button(label, url.into()))
    }

    pub fn button_address(self, url: impl Into<String>) -> Self {
        self.with(Part::ButtonAddress(url.into()))
    }

    pub fn link(self, text: impl Into<String>, url: impl Into<String>) -> Self {
        self.with(Part::Link(text.into(), url.into()))
    }

    fn with(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    /// The plain text.
    pub fn text(&self, site: &Site<'_>, name: Option<&str>) -> String {
        let mut blocks = vec![greeting(name)];
        blocks.extend(self.groups().filter_map(|parts| {
            let lines: Vec<String> = parts.iter().filter_map(Part::text).collect();
            (!lines.is_empty()).then(|| lines.join("\n"))
        }));
        let Brand { name, links, .. } = site.brand;
        blocks.push(format!("Ajuda: {}", links.help_center));
        blocks.push(format!("{name}\n{}\n", site.company()));
        blocks.join("\n\n")
    }

    /// Each part alone, but facts in a row together.
    fn groups(&self) -> impl Iterator<Item = &[Part]> {
        self.parts.chunk_by(|part, next| matches!((part, next), (Part::Fact(..), Part::Fact(..))))
    }

    /// The HTML. Styles are at the elements, because several mail clients drop a style sheet; the
    /// style sheet has the dark colours. Tables lay out, because Outlook ignores widths of others.
    pub fn html(&self, site: &Site<'_>, name: Option<&str>) -> String {
        let brand = site.brand;
        let page = html! {
            (DOCTYPE)
            html lang="pt-BR" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    meta name="supported-color-schemes" content="light dark";
                    title { (self.subject) }
                    style { (PreEscaped(DARK)) }
                    (PreEscaped(OUTLOOK_FONT))
                }
                body.ground style=(GROUND) {
                    div style="display:none;max-height:0;overflow:hidden" { (self.preheader) }
                    table role="presentation" width="100%" cellpadding="0" cellspacing="0" {
                        tr { td align="center" style="padding:24px 12px" {
                            (PreEscaped(OUTLOOK_COLUMN.0))
                            table role="presentation" width="560" cellpadding="0" cellspacing="0" style=(COLUMN) {
                                tr { td.brand style=(WORDMARK) {
                                    img src=(site.page("/icon-192.png")) width="32" height="32" alt="" style=(ICON);
                                    (brand.name)
                                } }
                                tr { td.band bgcolor="#0B6B4B" height="8" style=(BAND) { (PreEscaped("&#8202;")) } }
                                tr { td.card style=(CARD) {
                                    h1 style="margin:0 0 12px;font-size:24px;line-height:1.25" { (self.title) }
                                    p style=(PARAGRAPH) { (greeting(name)) }
                                    @for parts in self.groups() {
                                        @if let [Part::Fact(..), ..] = parts {
                                            table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="margin:0 0 16px" {
                                                @for part in parts { (part.html()) }
                                            }
                                        } @else {
                                            @for part in parts { (part.html()) }
                                        }
                                    }
                                } }
                                tr { td.quiet style=(FOOTER) {
                                    p style="margin:0 0 8px" {
                                        "Precisa de algo? "
                                        a.link style=(LINK) href=(brand.links.help_center) { "Fale com a gente" }
                                        "."
                                    }
                                    p style="margin:0" { (site.company()) }
                                } }
                            }
                            (PreEscaped(OUTLOOK_COLUMN.1))
                        } }
                    }
                }
            }
        };
        page.into_string()
    }
}

impl Part {
    fn text(&self) -> Option<String> {
        match self {
            Self::Paragraph(text) => Some(text.clone()),
            Self::Fact(name, value) | Self::Copyable(name, value) | Self::Button(name, value) => {
                Some(format!("{name}: {value}"))
            }
            // The button's line has it.
            Self::ButtonAddress(_) => None,
            Self::Link(text, url) => Some(format!("{text}: {url}")),
        }
    }

    fn html(&self) -> Markup {
        match self {
            Self::Paragraph(text) => html! { p style=(PARAGRAPH) { (text) } },
            Self::Fact(name, value) => html! {
                tr {
                    td.line.quiet style=(FACT_NAME) { (name) }
                    td.line style=(FACT) { (value) }
                }
            },
            Self::Copyable(name, value) => html! {
                p style=(PARAGRAPH) { (name) ":" br; span.copy style=(COPYABLE) { (value) } }
            },
            Self::Button(label, url) => html! {
                p style="margin:24px 0" { a style=(BUTTON) href=(url) { (label) } }
            },
            Self::ButtonAddress(url) => html! {
                p style=(PARAGRAPH) {
                    "O botão não abre? Copie este endereço para o navegador:" br;
                    span.copy style=(COPYABLE) { (url) }
                }
            },
            Self::Link(text, url) => html! {
                p style=(PARAGRAPH) { a.link style=(LINK) href=(url) { (text) } }
            },
        }
    }
}

fn greeting(name: Option<&str>) -> String {
    name.map_or_else(|| "Olá!".to_owned(), |name| format!("Olá, {name}."))
}

const GROUND: &str = "margin:0;background:#FBF8F1;color:#10201B;font-family:Figtree,Arial,sans-serif;\
                      font-size:16px;line-height:1.55";
/// Outlook ignores `max-width`, and takes its own serif font where it has not got the first one.
const OUTLOOK_COLUMN: (&str, &str) = (
    "<!--[if mso]><table role=\"presentation\" align=\"center\" width=\"560\"><tr><td><![endif]-->",
    "<!--[if mso]></td></tr></table><![endif]-->",
);
const OUTLOOK_FONT: &str =
    "<!--[if mso]><style>*{font-family:Arial,sans-serif!important}</style><![endif]-->";
const COLUMN: &str = "width:100%;max-width:560px;text-align:left";
const WORDMARK: &str =
    "padding:0 4px 16px;font-family:Figtree,Arial,sans-serif;font-weight:800;font-size:20px;color:#0B6B4B";
const ICON: &str = "vertical-align:middle;margin-right:10px;border-radius:8px";
/// The rim of the sieve. Outlook shows the plain colour.
const BAND: &str = "height:8px;line-height:8px;font-size:1px;border-radius:14px 14px 0 0;\
                    background:#0B6B4B linear-gradient(90deg,#2FAE80,#0B6B4B 45%,#063C2B)";
/// It repeats the body's colour and font, because several mail clients drop the body.
const CARD: &str = "color:#10201B;font-family:Figtree,Arial,sans-serif;font-size:16px;line-height:1.55;\
                    background:#FFFFFF;border:1px solid #E7E2D6;border-top:0;border-radius:0 0 14px 14px;\
                    padding:28px 24px 16px";
const PARAGRAPH: &str = "margin:0 0 16px";
const BUTTON: &str = "display:inline-block;background:#0B6B4B;color:#FFFFFF;text-decoration:none;\
                      font-weight:700;padding:12px 24px;border-radius:999px";
const LINK: &str = "color:#0B6B4B";
const COPYABLE: &str = "display:block;margin:4px 0 0;padding:12px 16px;background:#FBF8F1;border-radius:8px;\
                        font-family:monospace;font-size:15px;word-break:break-word";
const FACT_NAME: &str = "padding:10px 16px 10px 0;border-top:1px solid #E7E2D6;color:#54625C;\
                         vertical-align:top;white-space:nowrap";
const FACT: &str = "padding:10px 0;border-top:1px solid #E7E2D6;font-weight:700;text-align:right";
const FOOTER: &str = "padding:20px 4px 0;font-family:Figtree,Arial,sans-serif;line-height:1.55;color:#54625C;\
                      font-size:14px";
const DARK: &str = "@media (prefers-color-scheme: dark) {\
                    .ground,.copy{background:#0C1A16!important;color:#FBF8F1!important}\
                    .card{background:#15281F!important;border-color:#2A4035!important;color:#FBF8F1!important}\
                    .line{border-color:#2A4035!important}\
                    .brand,.link{color:#7FD3AE!important}\
                    .quiet{color:#B9C4BE!important}}";

#[cfg(test)]
mod tests {
    use garimpo_domain::catalog;

    use super::*;

    fn site() -> Site<'static> {
        Site { url: "https://garimpo.test", brand: &catalog().brand }
    }

    #[test]
    fn text_and_html_have_the_same_parts_in_the_same_order() {
        let mail = Document::new("Assunto", "Título", "Resumo")
            .paragraph("Primeiro.")
            .fact("Plano", "Elite")
            .fact("Valor", "R$ 1,00")
            .button("Abrir", "https://garimpo.test/a")
            .copyable("Linha", "123")
            .link("Sua conta", "https://garimpo.test/b");
        let (text, html) = (mail.text(&site(), Some("Ana")), mail.html(&site(), Some("Ana")));

        assert!(
            text.starts_with("Olá, Ana.\n\nPrimeiro.\n\nPlano: Elite\nValor: R$ 1,00\n\nAbrir: https://")
        );
        for said in [&text, &html] {
            let expected = [
                "Olá, Ana.",
                "Primeiro.",
                "Plano",
                "Elite",
                "Valor",
                "R$ 1,00",
                "garimpo.test/a",
                "Linha",
                "123",
                "garimpo.test/b",
                &site().brand.links.help_center,
                &site().company(),
            ];
            let mut rest = said.as_str();
            for word in expected {
                let (_, after) =
                    rest.split_once(word).unwrap_or_else(|| panic!("'{word}' in order in {said}"));
                rest = after;
            }
        }
        assert!(html.contains("Título") && html.contains("Resumo"), "{html}");
    }

    #[test]
    fn values_are_escaped_in_the_html() {
        let mail = Document::new("a", "b", "c").paragraph("<b>&\"").button("x", "https://a.test/?a=\"&b");

        let html = mail.html(&site(), Some("<i>"));

        assert!(html.contains("Olá, &lt;i&gt;.") && html.contains("&lt;b&gt;&amp;&quot;"), "{html}");
        assert!(html.contains("href=\"https://a.test/?a=&quot;&amp;b\""), "{html}");
        assert!(mail.text(&site(), None).starts_with("Olá!\n\n<b>&\""));
    }
}
