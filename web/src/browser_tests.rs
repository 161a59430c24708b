//! The widget in a real browser, without the custom element around it.

use crate::embed::mount;
use js_sys::{Array, Function, Reflect};
use wasm_bindgen::JsValue;
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use web_sys::Element;

wasm_bindgen_test_configure!(run_in_browser);

/// A mounted hero and its root.
fn hero(story: &str) -> (Function, Element) {
    let root = gloo::utils::document().create_element("div").unwrap();
    gloo::utils::body().append_child(&root).unwrap();
    let options = Array::of1(&JsValue::from_str(story));
    let handle = mount(root.clone(), false, &options, Function::new_no_args(""));
    (handle, root)
}

fn ask(handle: &Function, what: &str) -> JsValue {
    handle.call1(&JsValue::NULL, &what.into()).unwrap()
}

/// Yew renders in later turns of the event loop: waits until the root has this, or fails loudly.
async fn until(root: &Element, what: &str) {
    for _ in 0..1_000 {
        if root.text_content().unwrap_or_default().contains(what) {
            return;
        }
        let turn = js_sys::Promise::new(&mut |resolve, _| {
            gloo::utils::window().set_timeout_with_callback(&resolve).unwrap();
        });
        wasm_bindgen_futures::JsFuture::from(turn).await.unwrap();
    }
    panic!("never saw `{what}` in `{}`", root.text_content().unwrap_or_default());
}

/// Does what the element does when a button is pressed.
fn press(handle: &Function, root: &Element, button: &str) {
    let button = root.query_selector(button).unwrap().unwrap();
    let (part, value) = (button.get_attribute("part").unwrap(), button.get_attribute("value"));
    handle.call3(&JsValue::NULL, &part.into(), &value.into(), &true.into()).unwrap();
}

#[wasm_bindgen_test]
async fn a_press_goes_to_the_next_milestone() {
    let (handle, root) = hero("add");
    until(&root, "j_1 waits in wait").await;
    press(&handle, &root, "button.main");
    until(&root, "hands w1 the marker").await;
    let snapshot = ask(&handle, "snapshot");
    assert_eq!(Reflect::get(&snapshot, &"stage".into()).unwrap(), "woken");
    ask(&handle, "destroy");
}

#[wasm_bindgen_test]
async fn a_disabled_button_does_nothing_and_stays() {
    let (handle, root) = hero("add");
    until(&root, "Nothing to crash yet").await;
    let crash = root.query_selector("button.danger").unwrap().unwrap();
    assert_eq!(crash.get_attribute("aria-disabled").as_deref(), Some("true"));
    press(&handle, &root, "button.danger");
    press(&handle, &root, "button.main");
    until(&root, "hands w1 the marker").await;
    assert!(crash.is_connected(), "the button is the same element as before");
    ask(&handle, "destroy");
}

#[wasm_bindgen_test]
async fn a_bad_story_is_named_in_place_and_the_good_part_runs() {
    let (handle, root) = hero("add,step,stepp");
    until(&root, "token 3, `stepp`, at character 10").await;
    until(&root, "hands w1 the marker").await;
    ask(&handle, "destroy");
}
