//! Elements, made by plain calls.
//!
//! `html!` writes out some hundred bytes of code for every tag; a call here is a few. What comes out is the same.

use enroll_once_core::small::cut;
use yew::{
    Html,
    virtual_dom::{AttrValue, AttributeOrProperty, Attributes, VList, VTag, VText},
};

/// The attributes that widgets use, in the order in which they are written.
#[derive(Clone, Copy)]
#[allow(missing_docs)] // they are what HTML says
pub enum Attr {
    Type,
    Value,
    Id,
    Role,
    AriaLabel,
    AriaLabelledby,
    Part,
    AriaCurrent,
    AriaAtomic,
    AriaDisabled,
    AriaDescribedby,
    ViewBox,
    PreserveAspectRatio,
    AriaHidden,
    Width,
    Height,
    Class,
}

/// Their names, in that order. One list for all elements: yew then compares old and new place by place, without a map.
const NAMES: &[&str; 17] = &[
    "type",
    "value",
    "id",
    "role",
    "aria-label",
    "aria-labelledby",
    "part",
    "aria-current",
    "aria-atomic",
    "aria-disabled",
    "aria-describedby",
    "viewBox",
    "preserveAspectRatio",
    "aria-hidden",
    "width",
    "height",
    "class",
];

type Values = [Option<AttributeOrProperty>; NAMES.len()];

/// An element, or a fragment, in the making. Boxed: what is chained should be one pointer.
pub struct El(Box<Parts>);

struct Parts {
    /// `None` makes a fragment.
    tag: Option<VTag>,
    attributes: Box<Values>,
    children: Vec<Html>,
}

/// An element: `el("p.mark red")` is `<p class="mark red">`.
#[inline(never)]
pub fn el(what: &'static str) -> El {
    let (tag, class) = cut(what, b'.').unwrap_or((what, ""));
    let mut made = fragment();
    made.0.tag = Some(VTag::new(AttrValue::Static(tag)));
    made.class(class)
}

/// Children without an element around them. An empty one keeps a place among siblings, so that these stay what they
/// are, focus included, when it is filled.
#[inline(never)]
pub fn fragment() -> El {
    El(Box::new(Parts {
        tag: None,
        attributes: Box::new([const { None }; NAMES.len()]),
        children: Vec::new(),
    }))
}

/// Not yew's own `Static`, which its renderer without a browser leaves out.
fn fixed(value: &'static str) -> AttributeOrProperty {
    AttributeOrProperty::Attribute(AttrValue::Static(value))
}

impl El {
    /// Another class; none if it is empty.
    #[inline(never)]
    pub fn class(mut self, class: &'static str) -> Self {
        self.0.attributes[Attr::Class as usize] = (!class.is_empty()).then_some(fixed(class));
        self
    }

    /// An attribute with a fixed value.
    #[inline(never)]
    pub fn attr(mut self, attr: Attr, value: &'static str) -> Self {
        self.0.attributes[attr as usize] = Some(fixed(value));
        self
    }

    /// An attribute with a value made for it.
    #[inline(never)]
    pub fn attr_of(mut self, attr: Attr, value: &str) -> Self {
        self.0.attributes[attr as usize] = Some(AttributeOrProperty::Attribute(value.into()));
        self
    }

    /// What it is called among its siblings.
    #[inline(never)]
    pub fn key(mut self, key: &str) -> Self {
        if let Some(tag) = &mut self.0.tag {
            tag.key = Some(key.into());
        }
        self
    }

    /// A text, as the next child.
    #[inline(never)]
    pub fn text(mut self, text: &str) -> Self {
        self.0.children.push(VText::new(text).into());
        self
    }

    /// An element or a fragment, as the next child.
    #[inline(never)]
    pub fn child(mut self, child: El) -> Self {
        self.0.children.push(child.html());
        self
    }

    /// As [`El::child`]; nothing keeps its place.
    #[inline(never)]
    pub fn maybe(self, child: Option<El>) -> Self {
        self.child(child.unwrap_or_else(fragment))
    }

    /// For yew.
    #[inline(never)]
    pub fn html(self) -> Html {
        let Parts { tag, attributes, children } = *self.0;
        let children = Html::from(VList::from(children));
        let Some(mut tag) = tag else { return children };
        tag.attributes = Attributes::Dynamic { keys: NAMES, values: attributes };
        if let Some(place) = tag.children_mut() {
            *place = children;
        }
        tag.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attribute_is_where_its_name_is() {
        assert_eq!(NAMES[Attr::Type as usize], "type");
        assert_eq!(NAMES[Attr::AriaDescribedby as usize], "aria-describedby");
        assert_eq!(NAMES[Attr::AriaHidden as usize], "aria-hidden");
        assert_eq!(NAMES.len(), Attr::Class as usize + 1);
    }

    #[test]
    fn it_is_what_the_macro_makes() {
        let made = el("p.mark red").attr(Attr::Id, "a").text("b").child(el("b").text("c")).html();
        let Html::VTag(tag) = &made else { panic!("no element") };
        assert_eq!(tag.tag(), "p");
        let Attributes::Dynamic { keys, values } = &tag.attributes else { panic!("no list of attributes") };
        let given = keys.iter().zip(values).filter_map(|(key, value)| Some((*key, value.clone()?)));
        let [id, class] = [("id", "a"), ("class", "mark red")].map(|(key, value)| (key, fixed(value)));
        assert_eq!(given.collect::<Vec<_>>(), [id, class]);
        let children = yew::html! { <>{ "b" }<b>{ "c" }</b></> };
        let (Some(Html::VList(ours)), Html::VList(theirs)) = (tag.children(), children) else {
            panic!("no list")
        };
        assert_eq!(ours[0], theirs[0]);
        assert!(matches!(&ours[1], Html::VTag(tag) if tag.tag() == "b"));
    }

    #[test]
    fn nothing_keeps_its_place() {
        let Html::VList(list) = fragment().maybe(None).text("a").html() else { panic!("no list") };
        assert_eq!(list.len(), 2);
    }
}
