package dev.tollgate.core.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A missing corpus fails loudly, and a failing property names its seed. */
class CorporaTest {
  @Test
  void anAbsentPropertyIsNamed() {
    assertThatThrownBy(() -> Corpora.resolve(null, "wire"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("tollgate.shared");
  }

  @Test
  void aWrongFolderIsNamed() {
    assertThatThrownBy(() -> Corpora.resolve("no-such-folder", "wire"))
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("no-such-folder");
  }

  @Tag("corpus")
  @Test
  void aTableHasRows() {
    assertThat(Corpora.rows("data/badjson.tsv")).isNotEmpty().allMatch(row -> row.length == 7);
  }

  @Test
  void aFailingPropertyNamesItsSeed() {
    assertThatThrownBy(
            () ->
                Seeds.forEach(
                    random -> {
                      throw new IllegalStateException("boom");
                    }))
        .hasMessageContaining("tollgate.seed=")
        .hasMessageContaining("boom");
  }
}
