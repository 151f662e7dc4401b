"""What the words mean and where the data comes from."""
import streamlit as st
def show() -> None:
    st.title("Methods")
