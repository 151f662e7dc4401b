"""Browser components: what Streamlit's own elements cannot show."""
