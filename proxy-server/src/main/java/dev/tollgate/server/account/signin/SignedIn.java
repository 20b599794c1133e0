package dev.tollgate.server.account.signin;

/** New session of a person, with the cookie that the reply sets. */
public record SignedIn(RandomSecret cookie, SessionView session) {}
