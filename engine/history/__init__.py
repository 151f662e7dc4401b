"""Git histories: first-parent snapshots, file versions across renames, blobs, clones."""
