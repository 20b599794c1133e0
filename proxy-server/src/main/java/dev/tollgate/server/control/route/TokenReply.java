package dev.tollgate.server.control.route;

import dev.tollgate.core.id.OrgId;
import dev.tollgate.server.account.OneOf;
import dev.tollgate.server.account.OrgAccess;
import dev.tollgate.server.account.Permission;
import dev.tollgate.server.account.Principal;
import dev.tollgate.server.account.Role;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Control token that calls, and what it may do. */
public record TokenReply(TokenView token, @OneOf(Permission.class) List<String> permissions)
    implements CallerReply {

  /**
   * Token without its secret.
   *
   * @param role null for a token of the platform
   * @param org null for a token of the platform
   */
  public record TokenView(String id, String name, @Nullable Role role, @Nullable OrgId org) {}

  static TokenReply of(Principal.Token token) {
    return new TokenReply(
        new TokenView(token.id(), token.name(), token.role(), token.org()),
        OrgAccess.permissions(token).stream().sorted().map(Permission::wire).toList());
  }
}
