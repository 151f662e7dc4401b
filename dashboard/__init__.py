"""The Streamlit app. It shows what `engine` computed and holds no arithmetic of its own."""
