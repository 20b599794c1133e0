package dev.tollgate.server.mail;

import java.util.function.Supplier;

/**
 * Links to pages of the dashboard. A secret stands in the fragment, which browsers do not send, so
 * no log, proxy or Referer has it.
 *
 * @param baseUrl URL of the dashboard without a trailing slash; asked at each link, since the port
 *     may be known only after the start
 */
public record MailLinks(Supplier<String> baseUrl) {

  /** Page of the dashboard that takes a secret. */
  public enum Page {
    SETUP("setup"),
    VERIFY_EMAIL("verify"),
    RESET_PASSWORD("reset"),
    INVITATION("invite");

    private final String path;

    Page(String path) {
      this.path = path;
    }
  }

  public String link(Page page, String secret) {
    return baseUrl.get() + "/" + page.path + "#" + secret;
  }

  /** Returns the dashboard's own address. */
  public String home() {
    return baseUrl.get() + "/";
  }
}
