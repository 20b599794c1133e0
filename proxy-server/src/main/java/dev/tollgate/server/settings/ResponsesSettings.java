package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.Key;

/** Section {@code responses}: the Responses API. */
public record ResponsesSettings(
    @Key(about = "whether streams carry OpenAI's item and argument events", initial = "false")
        boolean extendedEvents) {}
