package dev.tollgate.server.control.route;

import static org.assertj.core.api.Assertions.assertThat;

import dev.tollgate.core.http.Field;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Attributes of the session cookie, over https and without. */
final class SessionCookieTest {
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          true  | v | __Host-tollgate_session=v; HttpOnly; SameSite=Lax; Path=/; Secure
          true  |   | __Host-tollgate_session=; HttpOnly; SameSite=Lax; Path=/; Secure; Max-Age=0
          false | v | tollgate_session=v; HttpOnly; SameSite=Lax; Path=/
          false |   | tollgate_session=; HttpOnly; SameSite=Lax; Path=/; Max-Age=0
          """)
  void theAttributesAreThese(boolean isSecure, String value, String expected) {
    var cookie = new SessionCookie(isSecure);
    Field field = value == null ? cookie.clear() : cookie.set(value);
    assertThat(field).isEqualTo(new Field("Set-Cookie", expected));
    assertThat(field.value()).startsWith(cookie.name() + "=").doesNotContain("Domain", "Expires");
  }
}
