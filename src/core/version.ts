// The version everything reports; a test keeps it equal to package.json and the plugin's manifest.

export const VERSION = "0.1.0";
