package dev.tollgate.server.postgres.embedded;

import dev.tollgate.core.catalog.Secret;
import org.jspecify.annotations.Nullable;

/** Address and credentials of a database. */
public record DatabaseAddress(String url, @Nullable String username, @Nullable Secret password) {}
