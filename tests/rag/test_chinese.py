"""Chinese questions."""

from rag.chinese import bigrams, in_english, terms


def test_neighbouring_characters_stand_for_words():
    assert bigrams("磁盘满了 df 满") == ("磁盘", "盘满", "满了", "满")
    assert bigrams("disk full") == ()


def test_known_terms_are_said_in_english_the_longest_first():
    assert in_english("nginx 文件描述符过多") == "file descriptors too many"
    assert in_english("数据库连接池超时") == "database connection pool timeout timed out"
    assert in_english("今天天气怎么样") == ""


def test_every_term_is_chinese_and_its_sense_english():
    assert all(bigrams(key) and value.isascii() for key, value in terms().items())
