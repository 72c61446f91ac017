"""Contract tests, shipped for people who write their own splitter, store or executor.

Subclass the suite, give it the fixture it asks for, and let pytest run it.
"""
