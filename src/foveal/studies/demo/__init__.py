"""The demo world: a small invented collection with topics, judgements and runs."""

from foveal.studies.demo.articles import Article, Element
from foveal.studies.demo.rag_corner import ChunkCorner
from foveal.studies.demo.simulated_assessor import DemoTopic
from foveal.studies.demo.world import DemoWorld, demo_world
