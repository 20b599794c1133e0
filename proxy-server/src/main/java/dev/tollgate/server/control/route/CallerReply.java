package dev.tollgate.server.control.route;

/** Who calls: a person's session, or a control token. */
public sealed interface CallerReply permits SessionReply, TokenReply {}
