package dev.tollgate.core.tenant;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.id.KeyId;
import dev.tollgate.core.tenant.ApiKeyText.MalformedKey;
import dev.tollgate.core.tenant.ApiKeyText.ValidKey;
import java.security.SecureRandom;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Text of a key: generated ones are parsed, altered ones refused. */
class ApiKeyTextTest {
  private final SecureRandom random = new SecureRandom();

  @Test
  void whatIsGeneratedIsWellFormedAndNeverTheSame() {
    Set<String> seen = new HashSet<>();
    for (int i = 0; i < 1_000; i++) {
      ValidKey key = ApiKeyText.generate(random);
      assertThat(key.text()).matches("sk-llm-[0-9A-Za-z]{46}");
      assertThat(ApiKeyText.parse(key.text())).isEqualTo(key);
      assertThat(key.keyId()).isEqualTo(new KeyId(key.text().substring(7, 15)));
      assertThat(seen.add(key.text())).isTrue();
    }
  }

  @Test
  void aChangedCharacterAnywhereIsMalformed() {
    String text = ApiKeyText.generate(random).text();
    for (int i = 0; i < text.length(); i++) {
      char other = text.charAt(i) == 'x' ? 'y' : 'x';
      String changed = text.substring(0, i) + other + text.substring(i + 1);
      assertThat(ApiKeyText.parse(changed)).as("character %d", i).isEqualTo(new MalformedKey());
    }
  }

  @Test
  void everyPrefixAndEveryAdditionIsMalformed() {
    String text = ApiKeyText.generate(random).text();
    for (int length = 0; length < text.length(); length++) {
      assertThat(ApiKeyText.parse(text.substring(0, length))).isEqualTo(new MalformedKey());
    }
    for (String added : new String[] {" ", "\n", "a", "0", "é"}) {
      assertThat(ApiKeyText.parse(text + added)).isEqualTo(new MalformedKey());
      assertThat(ApiKeyText.parse(added + text)).isEqualTo(new MalformedKey());
    }
    assertThat(ApiKeyText.parse("sk-llm-" + "a".repeat(10_000))).isEqualTo(new MalformedKey());
  }

  @Test
  void theFormIsFixedForever() {
    String known = "sk-llm-demoDEMO0123456789ABCDEFGHIJKLMNOPQRSTUV";
    assertThat(ApiKeyText.parse(known + "CHECK1")).isEqualTo(new MalformedKey());
    assertThat(ApiKeyText.parse(known + KNOWN_CHECKSUM)).isInstanceOf(ValidKey.class);
  }

  /** Computed with another program: the CRC32 of the text before it, in base62. */
  private static final String KNOWN_CHECKSUM = "1z3bc5";

  @Test
  void theSecretIsNotPrinted() {
    ValidKey key = ApiKeyText.generate(random);
    assertThat(key.toString()).isEqualTo("sk-llm-" + key.keyId() + "…" + key.lastFour());
  }
}
