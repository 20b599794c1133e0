package dev.tollgate.server.settings;

import dev.tollgate.core.catalog.Secret;
import dev.tollgate.core.money.MicroUsd;
import dev.tollgate.server.settings.binding.Key;
import org.jspecify.annotations.Nullable;

/**
 * Configuration section {@code bootstrap}: the first organization and API key, created in an empty
 * store.
 */
public record BootstrapSettings(
    @Key(
            about = "name of the first organization",
            initial = "demo",
            pattern = "\\S(.{0,98}\\S)?",
            expects = "a name of at most 100 characters")
        String organization,
    @Key(about = "its credit in USD", initial = "'10.00'") MicroUsd credit,
    @Key(about = "its first API key; null: one is generated and printed once")
        @Nullable Secret apiKey,
    @Key(about = "account of the first operator") @Nullable String adminEmail,
    @Key(about = "password of that account") @Nullable Secret adminPassword) {}
