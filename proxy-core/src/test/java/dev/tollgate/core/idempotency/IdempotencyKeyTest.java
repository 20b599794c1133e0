package dev.tollgate.core.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class IdempotencyKeyTest {
  @ParameterizedTest
  @ValueSource(strings = {"", "a\tb", "a\u0000", "\u007f", "\u0085"})
  void controlsAndNothingAreNoKeys(String text) {
    assertThat(IdempotencyKey.of(text)).isEmpty();
    assertThatIllegalArgumentException().isThrownBy(() -> new IdempotencyKey(text));
  }

  @Test
  void aKeyHas255CharactersAtMost() {
    assertThat(IdempotencyKey.of("k".repeat(255))).isPresent();
    assertThat(IdempotencyKey.of("k".repeat(256))).isEmpty();
  }

  @Test
  void aKeyIsAnyOtherText() {
    assertThat(IdempotencyKey.of("order 17/\u00e4 'x'"))
        .hasToString("Optional[order 17/\u00e4 'x']");
  }
}
