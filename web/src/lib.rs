//! The Yew front end.
