package dev.tollgate.server.control.route;

import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.settings.ControlPlaneSettings;
import java.util.List;

/**
 * What a browser must know before anybody signs in.
 *
 * @param setupRequired true as long as there is no user
 * @param signup {@code invite} or {@code open}
 * @param mail true if letters are sent; else replies contain the links
 * @param apiBaseUrl URL of the API for clients
 */
public record Meta(
    String product,
    boolean setupRequired,
    @OneOf(ControlPlaneSettings.Signup.class) String signup,
    boolean mail,
    List<Oidc> oidc,
    PasswordRule password,
    String apiBaseUrl) {
  /** A provider of identities. */
  public record Oidc(String id, String name) {}

  /** Bounds of a password's length in characters. */
  public record PasswordRule(int min, int max) {}
}
