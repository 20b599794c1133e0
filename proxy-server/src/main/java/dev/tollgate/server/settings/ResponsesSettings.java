package dev.tollgate.server.settings;

import dev.tollgate.server.settings.binding.Key;
import dev.tollgate.server.settings.value.AutoSwitch;

/** Configuration section {@code responses}: options of OpenAI's Responses API. */
public record ResponsesSettings(
    @Key(
            about =
                "whether streams have OpenAI's events about items and arguments; auto: where the "
                    + "client's software needs them",
            initial = "auto")
        AutoSwitch extendedEvents) {}
