//! One widget on the page.

use super::{Browser, Look, ProofLook};
use anyhow::{Context, Result};
use serde_json::json;

/// A widget, named by a CSS selector.
#[derive(Clone, Copy)]
pub struct Widget<'a> {
    /// Where it is.
    pub browser: &'a Browser,
    /// Which it is.
    pub selector: &'a str,
}

impl Browser {
    /// The first widget that this selector finds, when it is ready. It is scrolled to, as it loads when it is near.
    ///
    /// # Errors
    /// It never gets ready.
    pub fn widget<'a>(&'a self, selector: &'a str) -> Result<Widget<'a>> {
        let name = [json!(selector)];
        self.run::<()>("widget(arguments[0]).scrollIntoView()", &name)?;
        self.until("return isReady(arguments[0])", &name).context("the widget is not ready")?;
        Ok(Widget { browser: self, selector })
    }
}

impl Widget<'_> {
    /// What a reader sees.
    ///
    /// # Errors
    /// It is not `<enroll-loop>`, or not ready.
    pub fn look(&self) -> Result<Look> {
        self.browser.run("return look(arguments[0])", &[json!(self.selector)])
    }

    /// What a reader sees of a proof.
    ///
    /// # Errors
    /// It is not `<enroll-proof>`, or not ready.
    pub fn look_proof(&self) -> Result<ProofLook> {
        self.browser.run("return lookProof(arguments[0])", &[json!(self.selector)])
    }

    /// Everything that is rendered, as HTML, with attributes in alphabetical order.
    ///
    /// # Errors
    /// It is not ready.
    pub fn markup(&self) -> Result<String> {
        let script = "return markup(shadow(arguments[0]).querySelector('.instrument'))";
        self.browser.run(script, &[json!(self.selector)])
    }

    /// Clicks on the button with this label.
    ///
    /// # Errors
    /// There is none.
    pub fn press(&self, label: &str) -> Result<()> {
        self.browser.click("return button(...arguments)", &[json!(self.selector), json!(label)])
    }

    /// Clicks on the button with this label, and waits until the rail is at this stage.
    ///
    /// # Errors
    /// There is no such button, or it does not lead there.
    pub fn press_to(&self, label: &str, stage: &str) -> Result<Look> {
        self.press(label)?;
        self.until_at(stage).with_context(|| format!("after {label}"))
    }

    /// Waits until the rail is at this stage.
    ///
    /// # Errors
    /// It never is.
    pub fn until_at(&self, stage: &str) -> Result<Look> {
        let at = "return look(arguments[0]).current.join() === arguments[1]";
        self.browser.until(at, &[json!(self.selector), json!(stage)])?;
        self.look()
    }

    /// Presses all these buttons, one after the other, by script: quicker, where it is only to get somewhere.
    ///
    /// # Errors
    /// One is not there.
    pub fn go(&self, labels: &[&str]) -> Result<()> {
        let script = "for (const label of values[1]) { button(values[0], label).click(); await frame(); }";
        self.browser.run_async(script, &[json!(self.selector), json!(labels)])
    }

    /// The label of the button that has focus, if one in this widget has.
    ///
    /// # Errors
    /// The page does not answer.
    pub fn focus(&self) -> Result<Option<String>> {
        self.browser.run("return words(shadow(arguments[0]).activeElement)", &[json!(self.selector)])
    }

    /// Begins to keep what the live region says.
    ///
    /// # Errors
    /// There is none.
    pub fn listen(&self) -> Result<()> {
        self.browser.run("listen(arguments[0])", &[json!(self.selector)])
    }

    /// What the live region has said since then, once for every batch of changes.
    ///
    /// # Errors
    /// Nobody listened.
    pub fn said(&self) -> Result<Vec<String>> {
        self.browser.run("return widget(arguments[0]).said", &[json!(self.selector)])
    }
}
