"""Which framework a title names."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.paths import DATA_DIR
from engine.problems import BenchCheckerError
from engine.submissions.framework import Frameworks, read_frameworks


@pytest.mark.parametrize(
    ("title", "framework"),
    [
        ("TRAE + Doubao-Seed-Code", "TRAE"),
        ("TRAE", "TRAE"),
        ("mini-SWE-agent + GPT-5 (2025-08-07) (medium reasoning)", "mini-SWE-agent"),
        ("Prometheus-v1.2.1 + GPT-5", "Prometheus"),
        ("Agentless-1.5 + GPT 4o (2024-05-13)", "Agentless"),
        ("Agentless Lite + O3 Mini (20250214)", "Agentless Lite"),
        ("AutoCodeRover-v2.0 (Claude-3.5-Sonnet-20241022)", "AutoCodeRover"),
        ("AutoCodeRover (v20240620) + GPT 4o (2024-05-13)", "AutoCodeRover"),
        ("SWE-Fixer (Qwen2.5-7b retriever + Qwen2.5-72b editor) 20241128", "SWE-Fixer"),
        ("Gru(2024-08-24)", "Gru"),
        ("Artemis Agent v2 (2025-09-24)", "Artemis Agent"),
        ("Emergent E1 (v2024-10-12)", "Emergent E1"),
        ("W&B Programmer", "W&B Programmer"),
        ("", None),
        ("(2024)", None),
    ],
)
def test_the_rule(title: str, framework: str | None):
    assert Frameworks().of(title) == framework


@pytest.mark.parametrize(
    ("title", "framework"),
    [
        ("EPAM AI/Run Developer Agent v20250719 + Claude 4 Sonnet", "EPAM AI/Run"),
        ("openhands + claude-opus-4-5", "OpenHands"),
        ("OpenHands + CodeAct v2.1 (claude-3-5-sonnet-20241022)", "OpenHands"),
        ("Lingxi-v1.5_claude-4-sonnet-20250514", "Lingxi"),
        ("Lingxi v1.5 x Kimi K2", "Lingxi"),
        ("CodeSweep - SWE-agent - Kimi K2 Instruct", "SWE-agent"),
        ("GLM-4.6", None),
        ("Skywork-SWE-32B + TTS(Bo8)", None),
        ("SWE-RL (Llama3-SWE-RL-70B + Agentless Mini) (20250226)", "Agentless Mini"),
    ],
)
def test_the_projects_exceptions(title: str, framework: str | None):
    assert read_frameworks(DATA_DIR).of(title) == framework


def test_the_longest_prefix_wins_whatever_the_order(tmp_path: Path):
    (tmp_path / "framework.csv").write_text(
        "title_prefix,framework\nAgent,A\nAgent Pro,B\n", encoding="utf-8-sig"
    )
    frameworks = read_frameworks(tmp_path)
    assert frameworks.of("agent pro + x") == "B"
    assert frameworks.of("Agent + x") == "A"
    assert frameworks.of("Other + x") == "Other"


def test_without_a_file_there_are_no_exceptions(tmp_path: Path):
    assert read_frameworks(tmp_path) == Frameworks()


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("", 1),
        ("prefix,name\n", 1),
        ("title_prefix,framework\nx,y\nx\n", 3),
        ("title_prefix,framework\n,y\n", 2),
    ],
)
def test_a_broken_file_names_its_line(tmp_path: Path, text: str, line: int):
    (tmp_path / "framework.csv").write_text(text)
    with pytest.raises(BenchCheckerError, match=rf"framework\.csv:{line}: "):
        read_frameworks(tmp_path)
