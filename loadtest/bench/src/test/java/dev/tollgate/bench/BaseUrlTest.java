package dev.tollgate.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Base URLs that load may be sent to. */
class BaseUrlTest {
  @ParameterizedTest
  @CsvSource({
    "http://127.0.0.1:8080/v1, /v1, 8080",
    "http://127.0.0.1:8080, /v1, 8080",
    "http://127.0.0.1:8080/, /v1, 8080",
    "http://localhost/openai/v1/, /openai/v1, 80",
    "http://[::1]:9000/v1, /v1, 9000"
  })
  void aBaseUrlIsReadAsSdksReadIt(String text, String path, int port) {
    BaseUrl url = BaseUrl.of(text, false);
    assertThat(url.path()).isEqualTo(path);
    assertThat(url.address().getPort()).isEqualTo(port);
    assertThat(url.address().getAddress().isLoopbackAddress()).isTrue();
  }

  @Test
  void otherMachinesNeedPermission() {
    assertThatThrownBy(() -> BaseUrl.of("http://192.0.2.1/v1", false))
        .hasMessageContaining("--remote");
    assertThat(BaseUrl.of("http://192.0.2.1/v1", true).authority()).isEqualTo("192.0.2.1");
  }

  @ParameterizedTest
  @CsvSource({
    "https://127.0.0.1/v1",
    "127.0.0.1:8080",
    "http:///v1",
    "http://127.0.0.1/v1?x=1",
    "http://a b/",
    "ftp://127.0.0.1/"
  })
  void anythingElseIsRefused(String text) {
    assertThatThrownBy(() -> BaseUrl.of(text, true)).isInstanceOf(IllegalArgumentException.class);
  }
}
