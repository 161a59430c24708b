//! Plain JavaScript data. By hand, for a dozen names: a serializer, with its maps and numbers, is thousands of bytes.

use js_sys::{Array, Object, Reflect};
use wasm_bindgen::JsValue;

/// An object with these fields.
pub fn object(fields: &[(&str, JsValue)]) -> JsValue {
    let object = Object::new();
    for (name, value) in fields {
        // Setting a property of a fresh plain object cannot fail.
        let _ = Reflect::set(&object, &JsValue::from_str(name), value);
    }
    object.into()
}

/// An array of these.
pub fn list<T>(items: &[T], of: fn(&T) -> JsValue) -> JsValue {
    let array = Array::new();
    for item in items {
        array.push(&of(item));
    }
    array.into()
}
