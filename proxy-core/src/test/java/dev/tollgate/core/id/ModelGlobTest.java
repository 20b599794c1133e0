package dev.tollgate.core.id;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Patterns of model names against names. */
class ModelGlobTest {
  @ParameterizedTest
  @CsvSource({
    "openai/*, openai/gpt-4o, true",
    "openai/*, openai/gpt-4o-mini, true",
    "openai/*, openai/a/b, true",
    "openai/*, openai/, true",
    "openai/*, openai, false",
    "openai/*, OpenAI/gpt-4o, false",
    "openai/*, azure-openai/gpt-4o, false",
    "openai*, openai-eu/gpt-4o, true",
    "*, openai/gpt-4o, true",
    "**, openai/gpt-4o, true",
    "*/gpt-4o, openai/gpt-4o, true",
    "*/gpt-4o, openai/gpt-4o-mini, false",
    "*/gpt-4o, azure/eu/gpt-4o, true",
    "*gpt*, openai/gpt-4o, true",
    "*gpt*, anthropic/claude, false",
    "openai/*-mini, openai/gpt-4o-mini, true",
    "openai/*-mini, openai/gpt-4o-mini-2024, false",
    "openai/*-mini, openai/-mini, true",
    "openai/*-mini, openai/mini, false",
    "openai/gpt-*-mini, openai/gpt-4o-mini, true",
    "openai/gpt-*-mini, openai/gpt--mini, true",
    "openai/gpt-*-mini, openai/gpt-mini, false",
    "a*b*c, abc, true",
    "a*b*c, a-b-b-c, true",
    "a*b*c, a-c-b, false",
    "a*ab, aab, true",
    "a*ab, aabab, true",
    "a*ab, aaba, false",
    "gpt-4o, gpt-4o, true",
    "gpt-4o, gpt-4, false",
    "gpt-4o, gpt-4oo, false",
    "gpt-4o, GPT-4o, false",
    "gpt-4*, gpt-4, true",
    "gpt-4*, GPT-4, false",
    "gpt.4, gpt-4, false",
    "gpt-?, gpt-4, false",
    "[gp]t, gt, false",
    "gpt-4o-*, gpt-4o, false",
    "gpt-4o-*, gpt-4o-2024-11-20, true",
  })
  void aStarIsAnyTextAndNothingElseIsSpecial(String glob, String name, boolean matches) {
    assertThat(ModelGlob.matches(glob, name)).isEqualTo(matches);
  }

  @Test
  void thePatternOfNoModelMatchesNone() {
    List<ModelId> models = List.of(new ModelId("a", "one"), new ModelId("b", "two"));
    assertThat(ModelGlob.matchesAny("a/*", models)).isTrue();
    assertThat(ModelGlob.matchesAny("b/two", models)).isTrue();
    assertThat(ModelGlob.matchesAny("b/one", models)).isFalse();
    assertThat(ModelGlob.matchesAny("c/*", models)).isFalse();
    assertThat(ModelGlob.matchesAny("*", List.of())).isFalse();
  }

  @Test
  void aPatternOfManyStarsIsBounded() {
    String stars = "*a".repeat(127) + "b";
    String name = "a".repeat(256);
    Assertions.assertTimeout(
        Duration.ofSeconds(1), () -> assertThat(ModelGlob.matches(stars, name)).isFalse());
  }

  @ParameterizedTest
  @ValueSource(strings = {"gpt-4o", "a/b", "a/b/c", "a/*", "*", "~:.@"})
  void namesAreOfVisibleCharacters(String text) {
    assertThat(ModelId.isName(text)).isTrue();
    assertThat(ModelId.isName("x".repeat(256 - text.length()) + text)).isTrue();
    assertThat(ModelId.isName("x".repeat(257 - text.length()) + text)).isFalse();
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "/", "/a", "a/", "a//b", "a b", "a\tb", "a\u007f", "ä", "a\"", "a\\"})
  void noPartOfANameIsEmpty(String text) {
    assertThat(ModelId.isName(text)).isFalse();
    assertThat(ModelId.parse(text)).isEmpty();
  }
}
