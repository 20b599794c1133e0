package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.Key;

/** Configuration section {@code responses}: options of OpenAI's Responses API. */
public record ResponsesSettings(
    @Key(about = "whether streams carry OpenAI's item and argument events", initial = "false")
        boolean extendedEvents) {}
