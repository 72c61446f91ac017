"""Every part keeps the contract that Foldwise ships for it."""

from foldwise_plugin_example.executor import Serial
from foldwise_plugin_example.interval import SPLIT_RANGE
from foldwise_plugin_example.learner import MedianOfNeighbours, tuned
from foldwise_plugin_example.loss import shortfall
from foldwise_plugin_example.splitter import Blocks
from foldwise_plugin_example.tuner import BetterHalf

import foldwise as fw


def test_the_learner_keeps_the_contract():
    fw.testing.check_learner(MedianOfNeighbours())
    fw.testing.check_learner(tuned())


def test_the_loss_keeps_the_contract():
    fw.testing.check_loss(shortfall)


def test_the_splitter_keeps_the_contract():
    fw.testing.check_splitter(Blocks())


def test_the_tuner_keeps_the_contract():
    fw.testing.check_tuner(BetterHalf())


def test_the_interval_keeps_the_contract():
    fw.testing.check_interval(SPLIT_RANGE)


def test_the_executor_keeps_the_contract():
    fw.testing.check_executor(Serial)
